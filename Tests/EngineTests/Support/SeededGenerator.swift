import TestEngines

/// The generator of random numbers of all tests.
typealias SeededGenerator = TestEngines.SeededGenerator
