'use strict'

/** Allows one install at a time in a folder, however many commands are started at once. */

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { SetupError } = require('./run.cjs')

const POLL_MS = 100
const HEARTBEAT_MS = 2000
/** A holder that missed 15 heartbeats is dead, whatever its process id says. */
const STALE_MS = 30_000
const DEADLINE_MS = 20 * 60_000

/** Waits for the lock of a folder and returns the function that releases it. A dead holder's lock is taken over. */
async function acquireLock(folder) {
  const file = path.join(folder, 'install.lock')
  orSetupError(folder, () => fs.mkdirSync(folder, { recursive: true }))
  const deadlineMs = Date.now() + DEADLINE_MS
  let isWaiting = false
  while (!tryCreate(file)) {
    if (isStale(file)) {
      removeStale(file)
      continue
    }
    if (Date.now() > deadlineMs)
      throw new SetupError(`Another install still holds ${file}. Remove it if none is running.`)
    if (!isWaiting) process.stderr.write('Another command is installing; waiting for it …\n')
    isWaiting = true
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  const heartbeat = setInterval(() => refresh(file), HEARTBEAT_MS)
  heartbeat.unref()
  const remove = () => fs.rmSync(file, { force: true })
  process.once('exit', remove)
  return () => {
    clearInterval(heartbeat)
    process.removeListener('exit', remove)
    remove()
  }
}

function tryCreate(file) {
  return orSetupError(file, () => {
    try {
      fs.writeFileSync(file, `${process.pid} ${os.hostname()}`, { flag: 'wx' })
      return true
    } catch (error) {
      if (error.code === 'EEXIST') return false
      throw error
    }
  })
}

function orSetupError(file, write) {
  try {
    return write()
  } catch (error) {
    throw new SetupError(`Cannot install what is missing: ${file} cannot be written (${error.code}).`)
  }
}

function isStale(file) {
  try {
    const [pid, host] = fs.readFileSync(file, 'utf8').split(' ')
    if (host === os.hostname() && !isAlive(Number(pid))) return true
    return Date.now() - fs.statSync(file).mtimeMs > STALE_MS
  } catch {
    return false // It has just been released.
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

/** Two waiters may find the same dead holder: the slower one puts back the lock that the faster one has taken by then. */
function removeStale(file) {
  const moved = `${file}.${process.pid}`
  try {
    fs.renameSync(file, moved)
    if (isStale(moved)) fs.rmSync(moved, { force: true })
    else fs.renameSync(moved, file)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

function refresh(file) {
  const now = new Date()
  try {
    fs.utimesSync(file, now, now)
  } catch {
    // Another command took the lock over while this process was suspended.
  }
}

module.exports = { acquireLock }
