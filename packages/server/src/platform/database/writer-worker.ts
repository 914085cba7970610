import { DatabaseSync } from 'node:sqlite'
import { parentPort, receiveMessageOnPort } from 'node:worker_threads'
import { describeSqliteError } from './sqlite-failure.ts'
import { Writer } from './writer.ts'
import type { WriterOutcome, WriterRequest } from './writer-protocol.ts'

/** Another process may hold the file for a moment: a backup, a command line. */
const BUSY_TIMEOUT_MS = 5_000

function openFile(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: BUSY_TIMEOUT_MS })
  // FULL: a commit is on the disk before it is acknowledged. A page cache of 16 MB; a log of at most 64 MB stays after bursts.
  // Commits wait while the log is copied into the file: every 16 MB, so that it is rare beside a hundred commits in a row.
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma cache_size = -16000;
    pragma temp_store = memory;
    pragma wal_autocheckpoint = 4000;
    pragma journal_size_limit = 67108864;
  `)
  return database
}

/**
 * The thread that owns the writing connection, so that no wait for the disk runs on the main thread. It serves one file at a
 * time; after a `close` it may be given another.
 */
function runWriterThread(): void {
  const port = parentPort
  if (port === null) throw new Error('This file runs as a worker thread only.')
  const answer = (outcomes: readonly WriterOutcome[]): void => port.postMessage(outcomes)
  let database: DatabaseSync | null = null
  let writer: Writer | null = null
  const receive = (request: WriterRequest): void => {
    if (request[0] !== 'open') {
      writer?.receive(request)
      return
    }
    try {
      database = openFile(request[2])
      writer = new Writer(database, answer)
      answer([[request[1], null, null]])
    } catch (error) {
      answer([[request[1], null, describeSqliteError(error)]])
    }
  }
  port.on('message', (request: WriterRequest) => {
    receive(request)
    // Batches that arrived in the meantime share the next commit.
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      receive(next.message as WriterRequest)
    }
    writer?.work()
    if (database?.isOpen === false) writer = null
  })
}

runWriterThread()
