'use strict'

/** Installs the dependencies when they are not those of the lock file, and remembers that in a stamp beside them. */

const fs = require('node:fs')
const path = require('node:path')
const { createHash } = require('node:crypto')
const { RUNTIME_MAJOR, libcFamily } = require('./runtime.cjs')

function stampFile(root) {
  return path.join(root, 'node_modules', '.parley-install')
}

/** What the installed packages depend on: the lock file, the platform and the runtime they were installed for. */
function fingerprintOf(root) {
  const lock = createHash('sha256')
    .update(fs.readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex')
  return `${lock} ${process.platform}-${process.arch} node-${RUNTIME_MAJOR}`
}

/** Whether the stamp says that everything `mode` needs is installed; packages for development include the others. */
function areDependenciesReady(root, mode) {
  try {
    const [fingerprint, installedMode] = fs.readFileSync(stampFile(root), 'utf8').split('\n')
    return fingerprint === fingerprintOf(root) && (installedMode === mode || installedMode === 'development')
  } catch {
    return false
  }
}

function writeStamp(root, mode) {
  try {
    fs.writeFileSync(stampFile(root), `${fingerprintOf(root)}\n${mode}\n`)
  } catch {
    // A read-only installation stays usable: the packages are compared with the lock file at every start instead.
  }
}

/** Whether what npm says it installed (by hand, say) is what the lock file asks for on this platform. */
function isInstalledByNpm(root, mode) {
  const wanted = readJson(path.join(root, 'package-lock.json'))?.packages
  const installed = readJson(path.join(root, 'node_modules', '.package-lock.json'))?.packages
  if (!wanted || !installed) return false
  return Object.entries(wanted).every(([location, entry]) => {
    if (location === '' || (entry.dev && mode === 'production') || !isForThisPlatform(entry)) return true
    return installed[location] !== undefined && installed[location].version === entry.version
  })
}

/** Optional packages without a platform may be missing; those made for this platform may not. */
function isForThisPlatform(entry) {
  if (!entry.optional && !entry.devOptional) return true
  if (!entry.os?.includes(process.platform) || !entry.cpu?.includes(process.arch)) return false
  return !entry.libc || entry.libc.includes(libcFamily())
}

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** Installs what is missing. The caller holds the install lock. */
async function ensureDependencies(root, mode, node) {
  if (areDependenciesReady(root, mode)) return
  if (isInstalledByNpm(root, mode)) {
    writeStamp(root, mode)
    return
  }
  const { SetupError, describeNpmFailure, runNpm } = require('./npm.cjs')
  const startedAtMs = Date.now()
  process.stderr.write(
    `Installing the dependencies${mode === 'development' ? ' and the tools for tests' : ''} (once) … `,
  )
  fs.rmSync(stampFile(root), { force: true })
  // `install --no-save` takes the versions of the lock file and leaves it alone, as `npm ci` does, but it adds to what is
  // there instead of deleting it first: a server that runs from this folder keeps its packages.
  const result = await runNpm(node, root, [
    'install',
    '--no-save',
    mode === 'production' ? '--omit=dev' : '--include=dev',
  ])
  if (result.code !== 0) {
    throw new SetupError(`The dependencies could not be installed: ${describeNpmFailure(result)}`)
  }
  writeStamp(root, mode)
  process.stderr.write(`done in ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s\n`)
}

module.exports = { areDependenciesReady, ensureDependencies }
