'use strict'

/**
 * Finds or downloads the Node version that runs Parley, which executes TypeScript directly and includes the embedded database.
 */

const fs = require('node:fs')
const path = require('node:path')

const RUNTIME_MAJOR = 24
const RUNTIME_VERSION = '24.21.0'

function getRuntimeFolder(root) {
  return path.join(root, '.node', `v${RUNTIME_VERSION}-${process.platform}-${process.arch}`)
}

function findBinary(folder) {
  return path.join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

/** Returns the path of the current Node binary if it is new enough, or of a downloaded one, or null if there is none. */
function findRuntime(root) {
  if (Number(process.versions.node.split('.')[0]) >= RUNTIME_MAJOR) return process.execPath
  const downloaded = findBinary(getRuntimeFolder(root))
  return fs.existsSync(downloaded) ? downloaded : null
}

/** Returns `musl` on Alpine and similar systems, `glibc` on other Linux systems, and null elsewhere. */
function detectLibc() {
  if (process.platform !== 'linux') return null
  // Otherwise, the report resolves the addresses of all network interfaces, which can take seconds.
  process.report.excludeNetwork = true
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
}

/**
 * Returns the npm packages that contain the required Node version. The second package detects the platform with its own script.
 */
function listRuntimePackages() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  return [
    { name: `node-${platform}-${process.arch}`, runsScripts: false },
    { name: 'node', runsScripts: true },
  ]
}

/**
 * Returns the path of a Node binary that can run Parley, and downloads it if required. The caller must hold the install lock.
 * @throws SetupError
 */
async function ensureRuntime(root) {
  const existing = findRuntime(root)
  if (existing) return existing
  const { SetupError } = require('./run.cjs')
  if (detectLibc() === 'musl') {
    throw new SetupError(
      `Parley needs Node ${RUNTIME_MAJOR} or newer; this is ${process.version} on Linux with musl (such as Alpine), for ` +
        `which the npm registry has no Node. Install it from the system (apk add nodejs npm), or use an image such as ` +
        `node:${RUNTIME_MAJOR}-alpine or node:${RUNTIME_MAJOR}-slim.`,
    )
  }
  const startedAtMs = Date.now()
  process.stderr.write(
    `Downloading Node ${RUNTIME_VERSION} from the npm registry (once; this is ${process.version}) … `,
  )
  removeDownloads(root)
  try {
    await download(root)
  } finally {
    removeDownloads(root)
  }
  process.stderr.write(`done in ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s\n`)
  return findBinary(getRuntimeFolder(root))
}

/** Downloads the runtime. The folder appears either complete or not at all. */
async function download(root) {
  const { SetupError } = require('./run.cjs')
  const { describeNpmFailure, runNpm } = require('./npm.cjs')
  const workFolder = path.join(root, '.node', `download-${process.pid}`)
  let failure = ''
  for (const { name, runsScripts } of listRuntimePackages()) {
    fs.rmSync(workFolder, { recursive: true, force: true })
    fs.mkdirSync(workFolder, { recursive: true })
    fs.writeFileSync(path.join(workFolder, 'package.json'), '{"private":true}\n')
    const options = ['--no-save', '--no-package-lock', ...(runsScripts ? [] : ['--ignore-scripts'])]
    const result = await runNpm(process.execPath, workFolder, ['install', `${name}@${RUNTIME_VERSION}`, ...options])
    const folder = path.join(workFolder, 'node_modules', name)
    if (result.code === 0 && fs.existsSync(findBinary(folder))) {
      verifyBinary(findBinary(folder))
      // Headers for native add-ons make up a third of the package, and nothing in this repository compiles add-ons.
      fs.rmSync(path.join(folder, 'include'), { recursive: true, force: true })
      fs.rmSync(getRuntimeFolder(root), { recursive: true, force: true })
      fs.renameSync(folder, getRuntimeFolder(root))
      return
    }
    failure = failure || describeNpmFailure(result)
  }
  throw new SetupError(
    `Node ${RUNTIME_VERSION} could not be downloaded: ${failure}\nOr install Node ${RUNTIME_MAJOR} yourself: https://nodejs.org`,
  )
}

/** Removes downloads, including the remains of an interrupted download. */
function removeDownloads(root) {
  const folder = path.join(root, '.node')
  const downloads = fs.readdirSync(folder).filter((name) => name.startsWith('download-'))
  for (const name of downloads) fs.rmSync(path.join(folder, name), { recursive: true, force: true })
}

function verifyBinary(binary) {
  const { spawnSync } = require('node:child_process')
  const { SetupError } = require('./run.cjs')
  const result = spawnSync(binary, ['--version'], { encoding: 'utf8', timeout: 30_000 })
  if (result.stdout?.trim() === `v${RUNTIME_VERSION}`) return
  const reason = result.error?.message || result.stderr?.trim() || `exit code ${result.status}`
  throw new SetupError(
    `Node ${RUNTIME_VERSION} was downloaded but does not run on this machine: ${reason}\n` +
      `Install Node ${RUNTIME_MAJOR} or newer yourself (https://nodejs.org) and start again.`,
  )
}

module.exports = { RUNTIME_MAJOR, ensureRuntime, findRuntime, detectLibc }
