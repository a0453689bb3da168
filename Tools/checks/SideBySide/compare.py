"""Changes the same tables with several tools, and determines with a separate inventory what each one lost.

    python3 compare.py WORKER ARTICLE [--write] [--verbose]

The resulting table must match the one in the article; --write writes it there.
"""

import sqlite3
import sys
import tempfile
import warnings
from pathlib import Path

from shapes import SHAPES, inspect
from tools import CHANGES, Refusal, tools

BEGIN = "<!-- measured by Tools/checks/side-by-side -->\n\n"
END = "\n<!-- end of the measured table -->\n"

# The results of the other tools depend on the engine: with another version, they fail at other statements.
MEASURED_WITH = "3.40.1"


def everything(path):
    """Returns all definitions and rows of a database as an SQL script."""
    connection = sqlite3.connect(path)
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


def answers(path, shape, copy):
    """Returns the answers to a shape's questions, from a copy, since some of them write."""
    copy.unlink(missing_ok=True)
    with sqlite3.connect(path) as source, sqlite3.connect(copy, isolation_level=None) as target:
        source.backup(target)
    try:
        target.execute("PRAGMA foreign_keys = OFF")
        check = target.execute("PRAGMA integrity_check").fetchall() + target.execute("PRAGMA foreign_key_check").fetchall()
        return inspect(target, shape) + [check]
    finally:
        source.close()
        target.close()


def is_made(path, shape, change):
    """Returns whether a column has the requested form."""
    connection = sqlite3.connect(path)
    columns = connection.execute("SELECT name, type FROM pragma_table_info(?)", (shape.table,)).fetchall()
    connection.close()
    types = dict(columns)
    if change == "rename":
        return "renamed" in types and "c" not in types
    return "c" not in types if change == "drop" else types.get("c") == "TEXT"


def outcome(tool, shape, change, folder):
    """Returns the outcome for a shape's property: a keyword, and details."""
    path, copy = folder / "database.sqlite", folder / "copy.sqlite"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.executescript(shape.sql)
    connection.close()
    before, complete = answers(path, shape, copy), everything(path)
    try:
        tool.run(str(path), shape, change)
    except Refusal as refusal:
        return ("refused" if everything(path) == complete else "half done"), refusal
    except Exception as error:  # any failure of a tool is recorded
        return ("error" if everything(path) == complete else "half done"), f"{type(error).__name__}: {error}"
    after = answers(path, shape, copy)
    if not is_made(path, shape, change):
        return "not done", "the column does not have the requested form"
    return ("kept", "") if before == after else ("lost", f"{before} became {after}")


def cell(words):
    """Returns one cell from the outcomes of all changes, in the order of CHANGES."""
    if len(set(words)) == 1:
        return words[0] if words[0] == "kept" else f"**{words[0]}**"
    groups = {}
    for word, change in zip(words, CHANGES):
        groups.setdefault(word, []).append(change)
    return "; ".join(f"{word if word == 'kept' else f'**{word}**'} ({', '.join(group)})" for word, group in groups.items())


def measure(worker, verbose):
    """Returns the table as Markdown."""
    compared = tools(worker)
    lines = ["| | " + " | ".join(tool.name for tool in compared) + " |", "|---" * (len(compared) + 1) + "|"]
    with tempfile.TemporaryDirectory() as folder:
        for shape in SHAPES:
            cells = []
            for tool in compared:
                results = [outcome(tool, shape, change, Path(folder)) for change in CHANGES]
                cells.append(cell([word for word, _ in results]))
                for change, (word, details) in zip(CHANGES, results):
                    if verbose and word != "kept":
                        print(f"{shape.name}; {tool.name}; {change}: {word}: {details}", file=sys.stderr)
            lines.append(f"| {shape.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    worker, article = sys.argv[1], Path(sys.argv[2])
    warnings.simplefilter("ignore")
    table = measure(worker, "--verbose" in sys.argv)
    lost = [line for line in table.splitlines()[2:] if line.split(" | ")[1] != "kept"]
    if lost:
        sys.exit("side-by-side: this package did not preserve everything:\n" + "\n".join(lost))
    if sqlite3.sqlite_version != MEASURED_WITH:
        print(f"{table}not compared with {article}, whose table is measured with SQLite {MEASURED_WITH}")
        return
    text = article.read_text()
    start, end = text.find(BEGIN), text.find(END)
    if start < 0 or end < start:
        sys.exit(f"side-by-side: {article} has no place for the table, between {BEGIN.strip()} and {END.strip()}")
    start += len(BEGIN)
    if "--write" in sys.argv:
        article.write_text(text[:start] + table + text[end:])
    elif text[start:end] != table:
        sys.exit(f"{table}\nside-by-side: the table in {article} differs; review the change, and write it with --write")


main()
