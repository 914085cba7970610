import { DatabaseSync } from 'node:sqlite'
import { parentPort, receiveMessageOnPort } from 'node:worker_threads'
import { describeSqliteError } from './failure-error.ts'
import { Writer } from './writer.ts'
import type { WriterOutcome, WriterRequest } from './writer-protocol.ts'

/** Another process, such as a backup, can lock the file for a moment. */
const BUSY_TIMEOUT_MS = 5_000

function openFile(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: BUSY_TIMEOUT_MS })
  // FULL means that a commit is on disk before it is acknowledged. The page cache has 16 MB, and the log shrinks to 64 MB after
  // bursts. Commits wait while the log is copied into the file, so this happens only every 16 MB.
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

/** Runs the thread of the write connection, so that the main thread never waits for the disk. Handles one file at a time. */
function runWriterThread(): void {
  const port = parentPort
  if (port === null) throw new Error('This file must run as a worker thread.')
  const respond = (outcomes: readonly WriterOutcome[]): void => port.postMessage(outcomes)
  let database: DatabaseSync | null = null
  let writer: Writer | null = null
  const handleRequest = (request: WriterRequest): void => {
    if (request[0] !== 'open') {
      writer?.receive(request)
      return
    }
    try {
      database = openFile(request[2])
      writer = new Writer(database, respond)
      respond([[request[1], null, null]])
    } catch (error) {
      respond([[request[1], null, describeSqliteError(error)]])
    }
  }
  port.on('message', (request: WriterRequest) => {
    handleRequest(request)
    // Batches that arrived in the meantime share the next commit.
    for (
      let queuedMessage = receiveMessageOnPort(port);
      queuedMessage !== undefined;
      queuedMessage = receiveMessageOnPort(port)
    ) {
      handleRequest(queuedMessage.message as WriterRequest)
    }
    writer?.work()
    if (database?.isOpen === false) writer = null
  })
}

runWriterThread()
