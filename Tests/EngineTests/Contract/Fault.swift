internal import SQLSyntax

/// A rule that ``WrongBackend`` breaks.
enum Fault: String, CaseIterable, Sendable {
  // Opening
  case opensScratchInstead, createsWhatIsMissing, ignoresReadOnly, ignoresForeignKeyOption, ignoresBusyTimeout
  case waitsTooLong, ignoresJournalMode, labelShowsKey, claimsEncryption, takesAnyKey
  case failsToCloseTwice, commitsOnClose, changesItsVersion, changesPath, keepsMemory, invertsSharing
  // Statements
  case everyError, errorsWithoutText, errorsShowValues, errorsOfOthers, countsCharacters, findsFirstOnly
  case failsOnBlanks, textIsScript, stopsAtNUL, alwaysReadOnly, neverReadOnly, mixesColumnNames, prefixesParameters
  case passesOverErrors, forgetsValues, neverResets, bindsElsewhere, bindsAnywhere, rowIDOf32Bits
  case countsTriggers, oneStatement, preparesForOneSchema, rollsBackOnError, unboundIsZero
  // Values
  case integersOf32Bits, realsOfSingle, textToNUL, emptyIsNull, strictText, normalizes
  case shortBlobs, convertsStored
  // Settings
  case versionIsIdentifier, versionIsCached
  // Transactions and savepoints
  case neverBegins, commitsNothing, rollbackCommits, rollbackNeedsTransaction, beginsTwice, commitsTwice
  case countsTransactions, hidesCommitFailure, neverImmediate, exclusiveIsDeferred, deferredIsImmediate
  case immediateIsExclusive, busyCommitRollsBack, releaseRollsBack, keepsSavepoint, constantDataVersion
  case savepointKeepsChanges, quotesNothing, unknownSavepoint, savepointNeedsTransaction
  // Foreign keys
  case neverEnforces, alwaysEnforces, ignoresSwitchInTransaction, mixesKeyColumns
  case failsWithoutKeys, keysWithoutActions, ascendingIndexes, seesNoViolation, seesTooManyViolations
  case violationsInAll, rowIDIsZero, wrongKeyNumber
  case hidesMismatch
  // Schema
  case reversedSchema, noDefinitions, constraintIndexesDefined, internalObjects, noVirtualTables, cachedSchema
  case constantSchemaVersion, noColumnsIsEmpty, reversedColumns, exactNames
  case noGeneratedColumns, claimsNothing
  // Schema changes
  case changesAtOnce, noStatements, withoutChecks, withoutIndexes, withoutDefaults, withoutExistence
  case withoutForeignKeys, withoutOptions, withoutUniqueness, firstStepOnly, leavesTable
  case renumbers, plainRename, breaksViews
  case keepsProperties, neverFills, addsNoConstraint, keepsConstraint, keepsKey, keepsOrder, copiesNothing
  case losesTriggers
  // Recording, interrupting
  case recordsNothing, recordsDirectOnly, neverForgets, recordsEverything, recordsByDeleting, addsNothing,
    reportsNothing
  case copiesHalf, letsOthersIn, findsNoDamage
  case interruptsNothing, interruptsLater, addsNothingToConnection, restoresNothing
  // Erasing, scratch
  case erasesNothing, erasesForGood, erasesSettings, keepsCounters, erasesTablesOnly, failsOnEmpty, failsOnBroken
  case scratchIsDatabase, scratchOfOther, scratchIsReadOnly
}

extension Fault {
  /// The rules that the fault breaks; it may break others, too.
  var brokenRules: Set<Int> {
    switch self {
    case .opensScratchInstead: [2, 10, 58, 81, 230]
    case .createsWhatIsMissing: [20, 23, 28]
    case .ignoresReadOnly: [8, 20]
    case .ignoresForeignKeyOption: [7]
    case .ignoresBusyTimeout: [30, 32, 194]
    case .waitsTooLong: [30]
    case .ignoresJournalMode: [9, 10, 95]
    case .labelShowsKey: [35]
    case .claimsEncryption: [36]
    case .takesAnyKey: [27]
    case .failsToCloseTwice: [6]
    case .commitsOnClose: [5]
    case .changesItsVersion: [3]
    case .changesPath: [11]
    case .keepsMemory: [12]
    case .invertsSharing: [13]
    case .everyError: [8, 20, 30, 47, 87, 90, 93, 111, 125, 151, 157, 190, 220, 239]
    case .errorsWithoutText: [47, 223]
    case .errorsShowValues: [224]
    case .errorsOfOthers: [223]
    case .countsCharacters: [40, 48]
    case .findsFirstOnly: [40, 42]
    case .failsOnBlanks: [41]
    case .textIsScript: [42]
    case .stopsAtNUL: [43]
    case .alwaysReadOnly: [44]
    case .neverReadOnly: [44]
    case .mixesColumnNames: [45]
    case .prefixesParameters: [46]
    case .passesOverErrors: [57, 111, 220]
    case .forgetsValues: [51]
    case .neverResets: [50, 53]
    case .bindsElsewhere: [51, 66]
    case .bindsAnywhere: [67]
    case .rowIDOf32Bits: [55]
    case .countsTriggers: [56]
    case .oneStatement: [54]
    case .preparesForOneSchema: [58]
    case .rollsBackOnError: [225]
    case .unboundIsZero: [51]
    case .integersOf32Bits: [60]
    case .realsOfSingle: [60]
    case .textToNUL: [60]
    case .emptyIsNull: [60]
    case .strictText: [69]
    case .normalizes: [60]
    case .shortBlobs: [60]
    case .convertsStored: [71]
    case .versionIsIdentifier: [75]
    case .versionIsCached: [76]
    case .neverBegins: [80, 81, 114, 134, 231]
    case .commitsNothing: [81, 100]
    case .rollbackCommits: [76, 81, 134, 177, 201, 231, 250, 253]
    case .rollbackNeedsTransaction: [83]
    case .beginsTwice: [84]
    case .commitsTwice: [84]
    case .countsTransactions: [86]
    case .hidesCommitFailure: [87]
    case .neverImmediate: [30, 90]
    case .exclusiveIsDeferred: [93]
    case .deferredIsImmediate: [92, 95]
    case .immediateIsExclusive: [91]
    case .busyCommitRollsBack: [94]
    case .constantDataVersion: [96]
    case .releaseRollsBack: [100, 103]
    case .keepsSavepoint: [100]
    case .savepointKeepsChanges: [100, 102]
    case .quotesNothing: [105]
    case .unknownSavepoint: [106]
    case .savepointNeedsTransaction: [103, 100]
    case .neverEnforces: [7, 110, 111, 87, 156, 181]
    case .alwaysEnforces: [7, 110, 111]
    case .ignoresSwitchInTransaction: [114]
    case .mixesKeyColumns: [115]
    case .failsWithoutKeys: [115]
    case .keysWithoutActions: [147]
    case .ascendingIndexes: [146]
    case .seesNoViolation: [120, 123, 124, 127, 214, 235]
    case .seesTooManyViolations: [122, 159]
    case .violationsInAll: [120]
    case .rowIDIsZero: [123]
    case .wrongKeyNumber: [120, 124]
    case .hidesMismatch: [125]
    case .reversedSchema: [130]
    case .noDefinitions: [130, 236, 240]
    case .constraintIndexesDefined: [131]
    case .internalObjects: [132]
    case .noVirtualTables: [133]
    case .cachedSchema: [134, 145]
    case .constantSchemaVersion: [136]
    case .noColumnsIsEmpty: [134, 145, 141]
    case .reversedColumns: [140, 170]
    case .exactNames: [142]
    case .noGeneratedColumns: [143]
    case .claimsNothing: [144]
    case .changesAtOnce: [150]
    case .noStatements: [151, 155, 159, 160, 161, 170, 171, 172, 173, 175]
    case .withoutChecks: [151]
    case .withoutIndexes: [151]
    case .withoutDefaults: [154, 170]
    case .withoutExistence: [155, 160, 161]
    case .withoutForeignKeys: [156]
    case .withoutOptions: [157, 158]
    case .withoutUniqueness: [161]
    case .firstStepOnly: [170]
    case .leavesTable: [160, 176]
    case .renumbers: [173]
    case .plainRename: [159]
    case .breaksViews: [178]
    case .keepsProperties: [162, 163]
    case .neverFills: [163]
    case .addsNoConstraint: [164, 165]
    case .keepsConstraint: [165]
    case .keepsKey: [166]
    case .keepsOrder: [167]
    case .copiesNothing: [168]
    case .losesTriggers: [169]
    case .recordsNothing: [180, 181, 185, 189]
    case .recordsDirectOnly: [181]
    case .neverForgets: [185]
    case .recordsEverything: [187]
    case .recordsByDeleting: [186]
    case .addsNothing: [188]
    case .copiesHalf: [216]
    case .letsOthersIn: [197]
    case .findsNoDamage: [198]
    case .addsNothingToConnection: [196]
    case .restoresNothing: [217, 218]
    case .reportsNothing: [195]
    case .interruptsNothing: [190, 194, 239]
    case .interruptsLater: [191]
    case .erasesNothing: [200, 204, 205, 207, 208, 237]
    case .erasesForGood: [201]
    case .erasesSettings: [200]
    case .keepsCounters: [200]
    case .erasesTablesOnly: [200, 205]
    case .failsOnEmpty: [200]
    case .failsOnBroken: [205]
    case .scratchIsDatabase: [210, 212]
    case .scratchOfOther: [210]
    case .scratchIsReadOnly: [210, 214]
    }
  }

  /// The rules that no fault here breaks, with the reason.
  static let rulesNotCovered: [Int: String] = [
    1: "broken by most faults anyway; a new database that is not empty is covered by scratchIsDatabase",
    4: "needs a backend whose connections share one of the engine's",
    26: "needs a user without write access to every file",
    192: "breaking it corrupts memory, which ends the process",
    215: "needs an encrypting engine whose scratch database is not encrypted",
    219: "needs a connection that an application has opened; LentContractTests checks it",
    238: "a backend that breaks rule 90 breaks it only by chance",
  ]
}
