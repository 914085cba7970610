'use strict'

/** Finds or brings the Node that runs Parley: TypeScript is run directly and the database is Node's own SQLite. */

const fs = require('node:fs')
const path = require('node:path')

const RUNTIME_MAJOR = 24
const RUNTIME_VERSION = '24.21.0'

/** Where a brought runtime is kept. Its folder appears complete or not at all. */
function runtimeFolder(root) {
  return path.join(root, '.node', `v${RUNTIME_VERSION}-${process.platform}-${process.arch}`)
}

function binaryIn(folder) {
  return path.join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

/** The path of a fitting Node that is already there, else null: the one that runs this, or one brought earlier. */
function findRuntime(root) {
  if (Number(process.versions.node.split('.')[0]) >= RUNTIME_MAJOR) return process.execPath
  const brought = binaryIn(runtimeFolder(root))
  return fs.existsSync(brought) ? brought : null
}

/** `musl` on Alpine and its like, `glibc` on other Linux, null elsewhere. */
function libcFamily() {
  if (process.platform !== 'linux') return null
  // Without this the report resolves the addresses of all network interfaces, which can take seconds.
  process.report.excludeNetwork = true
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
}

/** Packages of the npm registry that hold this Node, best first. The second finds out the platform by itself. */
function runtimePackages() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  return [
    { name: `node-${platform}-${process.arch}`, runsScripts: false },
    { name: 'node', runsScripts: true },
  ]
}

/** Returns the path of a fitting Node, bringing it through npm when there is none. The caller holds the install lock. */
async function ensureRuntime(root) {
  const present = findRuntime(root)
  if (present) return present
  const { SetupError, describeNpmFailure, runNpm } = require('./npm.cjs')
  if (libcFamily() === 'musl') {
    throw new SetupError(
      `Parley runs on Node ${RUNTIME_MAJOR} or newer; this is ${process.version} on a Linux with musl (such as Alpine), for ` +
        `which the npm registry has no Node. Install it from the system (apk add nodejs npm), or use an image such as ` +
        `node:${RUNTIME_MAJOR}-alpine or node:${RUNTIME_MAJOR}-slim.`,
    )
  }
  const startedAtMs = Date.now()
  process.stderr.write(`Bringing Node ${RUNTIME_VERSION} from the npm registry (once; this is ${process.version}) … `)
  const workFolder = path.join(root, '.node', `incoming-${process.pid}`)
  let failure = ''
  try {
    for (const { name, runsScripts } of runtimePackages()) {
      fs.rmSync(workFolder, { recursive: true, force: true })
      fs.mkdirSync(workFolder, { recursive: true })
      fs.writeFileSync(path.join(workFolder, 'package.json'), '{"private":true}\n')
      const result = await runNpm(process.execPath, workFolder, [
        'install',
        `${name}@${RUNTIME_VERSION}`,
        '--no-save',
        '--no-package-lock',
        ...(runsScripts ? [] : ['--ignore-scripts']),
      ])
      const folder = path.join(workFolder, 'node_modules', name)
      if (result.code === 0 && fs.existsSync(binaryIn(folder))) {
        verifyBinary(binaryIn(folder))
        const destination = runtimeFolder(root)
        fs.rmSync(destination, { recursive: true, force: true })
        fs.renameSync(folder, destination)
        process.stderr.write(`done in ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s\n`)
        return binaryIn(destination)
      }
      // The first failure tells more: the second package only repeats the attempt in another way.
      failure = failure || describeNpmFailure(result)
    }
  } finally {
    fs.rmSync(workFolder, { recursive: true, force: true })
  }
  throw new SetupError(
    `Node ${RUNTIME_VERSION} could not be brought: ${failure}\nInstalling Node ${RUNTIME_MAJOR} yourself (https://nodejs.org) works as well.`,
  )
}

/** Proves that a brought binary runs on this machine before it is kept. */
function verifyBinary(binary) {
  const { spawnSync } = require('node:child_process')
  const { SetupError } = require('./npm.cjs')
  const answer = spawnSync(binary, ['--version'], { encoding: 'utf8', timeout: 30_000 })
  if (answer.stdout?.trim() === `v${RUNTIME_VERSION}`) return
  const reason = answer.error?.message ?? answer.stderr?.trim() ?? 'no answer'
  throw new SetupError(
    `Node ${RUNTIME_VERSION} was brought but does not run on this machine: ${reason || `exit code ${answer.status}`}\n` +
      `Install Node ${RUNTIME_MAJOR} or newer yourself (https://nodejs.org) and start again.`,
  )
}

module.exports = { RUNTIME_MAJOR, ensureRuntime, findRuntime, libcFamily }
