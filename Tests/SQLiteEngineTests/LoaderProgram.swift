import Foundation
import TestEngines

/// A small C program that loads engines, or is linked with one, and prints a line for each.
///
/// A test process cannot show what happens there, since it is linked against no engine.
struct LoaderProgram {
  /// The program: for each argument, takes the library of that name, the symbols of the `process`, or the `linked` or `other`
  /// table; prints the result, the version, the file, a number for the copy, and the optional functions.
  static let main = """
    #include <stdio.h>
    #include <string.h>
    #include "CSQLiteLoader.h"
    const void *app_sqlite(void);
    const void *other_sqlite(void);
    static csqlite_status get(const char *name, csqlite_library **library, char *message, size_t capacity) {
    #ifdef LINKED
      if (!strcmp(name, "linked")) return csqlite_link(app_sqlite(), library, message, capacity);
    #endif
    #ifdef OTHER
      if (!strcmp(name, "other")) return csqlite_link(other_sqlite(), library, message, capacity);
    #endif
      return csqlite_load(strcmp(name, "process") ? name : NULL, library, message, capacity);
    }
    int main(int count, char **names) {
      uintptr_t copies[10] = {0};
      for (int i = 1; i < count; i++) {
        csqlite_library *library;
        char message[2000];
        csqlite_status status = get(names[i], &library, message, sizeof message);
        sqlite3 *database = NULL;
        if (status == CSQLITE_LOADED) status = library->functions.open_v2(":memory:", &database, 6, NULL);
        printf("%d %s", status, database ? library->functions.libversion() : message);
        if (database) {
          const char *file = strrchr(library->path, '/');
          int copy = 0;
          while (copies[copy] && copies[copy] != library->copy) copy++;
          copies[copy] = library->copy;
          printf(" %s copy-%d", file ? file + 1 : library->path, copy);
    #define HAS(f) if (library->optional.f) printf(" " #f);
          CSQLITE_OPTIONAL(HAS)
          if (library->derivation.pbkdf2) printf(" pbkdf2");
        }
        puts("");
      }
    }
    """

  let folder: TemporaryFolder

  /// Compiles the program with the loader.
  ///
  /// - Parameters:
  ///   - sources: More source files: their text, by name.
  ///   - options: The options of the compiler and linker, which follow the sources; they may name files of the folder.
  ///   - preparation: A script that runs in the folder first.
  init(_ sources: [String: String] = [:], options: String, preparation: String = "") throws {
    folder = try TemporaryFolder()
    for (name, text) in sources.merging(["main.c": Self.main], uniquingKeysWith: { $1 }) {
      try folder.write(text.utf8, to: name)
    }
    let loader = "\(BuiltEngines.packageRoot)/Modules/CSQLiteLoader"
    try ShellScript.run(
      preparation + "\nclang -w '-I\(loader)/include' *.c '\(loader)'/*.c -o program \(options) -ldl -lpthread",
      in: folder.path)
  }

  /// Runs the program and returns its lines.
  ///
  /// - Parameter names: The libraries to load.
  func lines(_ names: [String]) throws -> [String] {
    let arguments = names.map { "'\($0)'" }.joined(separator: " ")
    return try ShellScript.run("./program \(arguments)", in: folder.path).split(separator: "\n").map(String.init)
  }
}
