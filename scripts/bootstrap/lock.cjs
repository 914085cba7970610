'use strict'

/** Allows only one install at a time per folder, regardless of how many commands start simultaneously. */

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { SetupError } = require('./run.cjs')

const POLL_MS = 100
const HEARTBEAT_MS = 2000
/** Time without heartbeats (15 of them) after which a lock holder counts as dead, regardless of its process ID. */
const STALE_MS = 30_000
const DEADLINE_MS = 20 * 60_000

/** Waits for the lock of a folder and returns a function that releases it. The lock of a dead holder is taken over. */
async function acquireLock(folder) {
  const file = path.join(folder, 'install.lock')
  withSetupError(folder, () => fs.mkdirSync(folder, { recursive: true }))
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
  const heartbeat = setInterval(() => refreshLock(file), HEARTBEAT_MS)
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
  return withSetupError(file, () => {
    try {
      fs.writeFileSync(file, `${process.pid} ${os.hostname()}`, { flag: 'wx' })
      return true
    } catch (error) {
      if (error.code === 'EEXIST') return false
      throw error
    }
  })
}

function withSetupError(file, write) {
  try {
    return write()
  } catch (error) {
    throw new SetupError(`Cannot install dependencies: ${file} is not writable (${error.code}).`)
  }
}

function isStale(file) {
  try {
    const [pid, host] = fs.readFileSync(file, 'utf8').split(' ')
    if (host === os.hostname() && !isAlive(Number(pid))) return true
    return Date.now() - fs.statSync(file).mtimeMs > STALE_MS
  } catch {
    return false // The lock has just been released.
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

/**
 * Removes a stale lock. If two waiters find the same dead holder, the slower one restores the lock that the faster one has
 * taken.
 */
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

function refreshLock(file) {
  const now = new Date()
  try {
    fs.utimesSync(file, now, now)
  } catch {
    // Another command took over the lock while the process was suspended.
  }
}

module.exports = { acquireLock }
