'use strict'

/** Installs the dependencies if they do not match the lock file, and records the result in a stamp next to them. */

const fs = require('node:fs')
const path = require('node:path')
const { createHash } = require('node:crypto')
const { RUNTIME_MAJOR, detectLibc } = require('./runtime.cjs')

function getStampFile(root) {
  return path.join(root, 'node_modules', '.parley-install')
}

/** Returns a hash of everything that the installed packages depend on: the lock file, the platform and the runtime. */
function calculateFingerprint(root) {
  const lock = createHash('sha256')
    .update(fs.readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex')
  return `${lock} ${process.platform}-${process.arch} node-${RUNTIME_MAJOR}`
}

/** Whether the stamp confirms that everything for `mode` is installed; `development` includes `production`. */
function areDependenciesReady(root, mode) {
  try {
    const [fingerprint, installedMode] = fs.readFileSync(getStampFile(root), 'utf8').split('\n')
    return fingerprint === calculateFingerprint(root) && (installedMode === mode || installedMode === 'development')
  } catch {
    return false
  }
}

function writeStamp(root, mode) {
  try {
    fs.writeFileSync(getStampFile(root), `${calculateFingerprint(root)}\n${mode}\n`)
  } catch {
    // A read-only installation works without a stamp: its packages are compared with the lock file on every start.
  }
}

/** Whether npm's record of a manual install matches the lock file on the current platform. */
function isInstalledManually(root, mode) {
  const locked = readJson(path.join(root, 'package-lock.json'))?.packages
  const installed = readJson(path.join(root, 'node_modules', '.package-lock.json'))?.packages
  if (!locked || !installed) return false
  return Object.entries(locked).every(([location, entry]) => {
    if (location === '' || (entry.dev && mode === 'production') || !isRequiredOnPlatform(entry)) return true
    return installed[location] !== undefined && installed[location].version === entry.version
  })
}

/** Whether a package is required. Optional packages are required only if they are built for the current platform. */
function isRequiredOnPlatform(entry) {
  if (!entry.optional && !entry.devOptional) return true
  if (!entry.os?.includes(process.platform) || !entry.cpu?.includes(process.arch)) return false
  return !entry.libc || entry.libc.includes(detectLibc())
}

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** Installs what is missing. The caller must hold the install lock. @throws SetupError */
async function ensureDependencies(root, mode, node) {
  if (areDependenciesReady(root, mode)) return
  if (isInstalledManually(root, mode)) {
    writeStamp(root, mode)
    return
  }
  const { SetupError } = require('./run.cjs')
  const { describeNpmFailure, runNpm } = require('./npm.cjs')
  const startedAtMs = Date.now()
  const description = mode === 'development' ? 'dependencies and development tools' : 'dependencies'
  process.stderr.write(`Installing ${description} (once) … `)
  // `npm ci` deletes all packages first, but a running server loads from them. An update therefore installs the locked versions
  // in place.
  const isUpdate = fs.existsSync(getStampFile(root))
  if (isUpdate) fs.writeFileSync(getStampFile(root), 'incomplete\n')
  const install = isUpdate ? ['install', '--no-save'] : ['ci']
  const result = await runNpm(node, root, [...install, mode === 'production' ? '--omit=dev' : '--include=dev'])
  if (result.code !== 0) {
    throw new SetupError(`The dependencies could not be installed: ${describeNpmFailure(result)}`)
  }
  writeStamp(root, mode)
  process.stderr.write(`done in ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s\n`)
}

module.exports = { areDependenciesReady, ensureDependencies }
