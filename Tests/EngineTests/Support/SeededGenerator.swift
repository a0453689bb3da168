import TestEngines

/// The random number generator of all tests.
typealias SeededGenerator = TestEngines.SeededGenerator
