"""The tools that change a table, each used as documented, without repeating what the table already defines."""

import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from typing import Callable

import alembic
import sqlalchemy
import sqlite_utils
from alembic.migration import MigrationContext
from alembic.operations import Operations

CHANGES = ["rename", "type", "drop"]


class Refusal(Exception):
    """A tool reported that it cannot make the change."""


@dataclass(frozen=True)
class Tool:
    """A tool's name, for the heading of its column, and the function that changes column c of a table."""

    name: str
    run: Callable


def foreign_keys(shape):
    """Returns the setting of a connection: SQLite's default unless a shape needs the other one."""
    return f"PRAGMA foreign_keys = {'ON' if shape.enforces_foreign_keys else 'OFF'}"


def with_sqlite_utils(path, shape, change):
    """Changes the column with `table.transform()`."""
    database = sqlite_utils.Database(path)
    database.execute(foreign_keys(shape))
    options = {"rename": {"rename": {"c": "renamed"}}, "type": {"types": {"c": str}}, "drop": {"drop": {"c"}}}
    try:
        database[shape.table].transform(**options[change])
    except (sqlite_utils.db.TransformError, NotImplementedError) as error:
        raise Refusal(str(error)) from error
    finally:
        database.conn.close()


def with_alembic(path, shape, change):
    """Changes the column in a `batch_alter_table`, in one transaction."""
    engine = sqlalchemy.create_engine(f"sqlite:///{path}", poolclass=sqlalchemy.NullPool)
    sqlalchemy.event.listen(engine, "connect", lambda raw, _: raw.execute(foreign_keys(shape)))
    try:
        with engine.begin() as connection:
            with Operations(MigrationContext.configure(connection)).batch_alter_table(shape.table) as batch:
                if change == "rename":
                    batch.alter_column("c", new_column_name="renamed")
                elif change == "type":
                    batch.alter_column("c", type_=sqlalchemy.Text())
                else:
                    batch.drop_column("c")
    except NotImplementedError as error:
        raise Refusal(str(error)) from error
    finally:
        engine.dispose()


def ours(worker):
    """Changes the column with `alter(table:)` in a migration, in the worker process of the tests.

    Foreign keys are enforced, as they are by default.
    """

    def run(path, shape, change):
        result = subprocess.run(
            [worker, "sqlite", path, "alter", shape.table, change], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            message = result.stdout + result.stderr
            raise Refusal(message) if "refused" in message else RuntimeError(message)

    return run


def tools(worker):
    """Returns all tools, in the order of their columns."""
    return [
        Tool("this", ours(worker)),
        Tool(f"sqlite-utils {version('sqlite-utils')}", with_sqlite_utils),
        Tool(f"Alembic {alembic.__version__}", with_alembic),
    ]
