internal import Combine
internal import Dispatch
internal import Migrator

func migrate(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue) -> [AnyPublisher<Void, any Error>] {
  [migrator.migratePublisher(dbQueue), migrator.migratePublisher(dbQueue, receiveOn: DispatchQueue.global())]
}
