import Testing

@testable import DqliteBackend

@Suite("Conversions of values")
struct ValueConversionTests {
  @Test(
    "The number at the start of a text is read as SQLite reads it",
    arguments: [
      ("", 0), ("x", 0), ("1.5x", 1.5), (" -2.", -2), ("+.5e1", 5), ("1e", 1), ("1e400", .infinity), ("1e-400", 0),
      ("0x10", 0), ("-", 0),
    ] as [(String, Double)])
  func reals(text: String, number: Double) { #expect(ValueConversion.real(text) == number) }

  @Test(
    "A number becomes text with a decimal point",
    arguments: [(1, "1.0"), (-0.5, "-0.5"), (1e21, "1.0e+21"), (1.5e-7, "1.5e-07"), (.infinity, "Inf")]
      as [(
        Double, String
      )])
  func texts(number: Double, text: String) { #expect(ValueConversion.text(number) == text) }
}
