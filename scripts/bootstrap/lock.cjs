'use strict'

/** One install at a time in a folder, however many commands are started at once. */

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { SetupError } = require('./npm.cjs')

const POLL_MS = 100
const HEARTBEAT_MS = 2000
/** A holder that gave no sign for so long is gone, whatever its process id says (15 missed heartbeats). */
const STALE_MS = 30_000
const DEADLINE_MS = 20 * 60_000

/** Waits for the lock of a folder and returns the function that gives it back. A dead holder's lock is taken over. */
async function acquireLock(folder) {
  createFolder(folder)
  const file = path.join(folder, 'install.lock')
  const deadlineMs = Date.now() + DEADLINE_MS
  let told = false
  while (!tryCreate(file)) {
    if (isStale(file)) {
      takeAway(file)
      continue
    }
    if (Date.now() > deadlineMs)
      throw new SetupError(`Another install still holds ${file}. Remove it if none is running.`)
    if (!told) process.stderr.write('Another command is installing; waiting for it …\n')
    told = true
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  const heartbeat = setInterval(() => touch(file), HEARTBEAT_MS)
  heartbeat.unref()
  const remove = () => fs.rmSync(file, { force: true })
  process.once('exit', remove)
  return () => {
    clearInterval(heartbeat)
    process.removeListener('exit', remove)
    remove()
  }
}

function createFolder(folder) {
  try {
    fs.mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new SetupError(`${folder} cannot be written (${error.code}), and something has to be installed first.`)
  }
}

function ownerText() {
  return `${process.pid} ${os.hostname()}`
}

function tryCreate(file) {
  try {
    fs.writeFileSync(file, ownerText(), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw new SetupError(`${file} cannot be written (${error.code}), and something has to be installed first.`)
  }
}

function isStale(file) {
  try {
    const [pid, host] = fs.readFileSync(file, 'utf8').split(' ')
    if (host === os.hostname() && !isAlive(Number(pid))) return true
    return Date.now() - fs.statSync(file).mtimeMs > STALE_MS
  } catch {
    return false // It has just been given back.
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

/** Two waiters may find the same dead holder: whoever moves away a lock that lives by then puts it back. */
function takeAway(file) {
  const aside = `${file}.${process.pid}`
  try {
    fs.renameSync(file, aside)
    if (isStale(aside)) fs.rmSync(aside, { force: true })
    else fs.renameSync(aside, file)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

function touch(file) {
  const now = new Date()
  try {
    fs.utimesSync(file, now, now)
  } catch {
    // Taken away while this process was suspended; the install still ends with a stamp of its own.
  }
}

module.exports = { acquireLock }
