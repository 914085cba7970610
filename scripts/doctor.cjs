'use strict'

/**
 * `npm run doctor`: reports what the machine provides and lacks for running, testing and benchmarking, with a fix for each
 * problem. Runs on any Node version.
 */

const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { findNpmProgram } = require('./bootstrap/npm.cjs')
const { RUNTIME_MAJOR, findRuntime, detectLibc } = require('./bootstrap/runtime.cjs')
const { REQUIREMENTS } = require('./system-packages.cjs')
const { findProgram } = require('./service-programs.cjs')

const root = path.resolve(__dirname, '..')
const MIN_NODE_MAJOR = 20
/** Space for dependencies, a downloaded Node binary, builds and npm's cache, which take 0.6 GiB. */
const MIN_FREE_BYTES = 1024 ** 3
/** Free shared memory above which tests keep PostgreSQL data in memory. */
const MIN_SHARED_MEMORY_BYTES = 1024 ** 3
/** Minimum number of open files. Benchmarks hold hundreds of connections, each with a file on both ends. */
const MIN_OPEN_FILES = 4096
const MIN_BENCH_CORES = 2

const INSTALL_NODE = `install Node ${RUNTIME_MAJOR} with npm from https://nodejs.org`

/** Checks by section. Each check resolves to a finding, with a fix if there is a problem. */
const SECTIONS = [
  { name: 'npm start', isRequired: true, checks: [checkNode, checkNpm, checkDisk, checkFolder, checkData, checkPort] },
  { name: 'tests', isRequired: false, checks: [checkGit, ...REQUIREMENTS.map(checkRequirement), checkSharedMemory] },
  { name: 'benchmarks', isRequired: false, checks: [checkCores, checkOpenFiles] },
]

function checkNode() {
  const finding = `Node ${process.versions.node}`
  const major = Number(process.versions.node.split('.')[0])
  if (major >= RUNTIME_MAJOR) return { finding }
  if (major < MIN_NODE_MAJOR) return { finding: `${finding} is too old`, fix: INSTALL_NODE }
  if (findRuntime(root)) return { finding: `${finding}, with Node ${RUNTIME_MAJOR} in .node/` }
  if (detectLibc() === 'musl')
    return { finding: `${finding} on musl`, fix: `apk add nodejs npm (Node ${RUNTIME_MAJOR})` }
  return { finding: `${finding}; npm start downloads Node ${RUNTIME_MAJOR} into .node/` }
}

function checkNpm() {
  const program = findNpmProgram()
  if (program === null) return { finding: 'npm was not found', fix: INSTALL_NODE }
  const { version } = JSON.parse(fs.readFileSync(path.join(path.dirname(program), '..', 'package.json'), 'utf8'))
  return { finding: `npm ${version}` }
}

function checkDisk() {
  const freeBytes = readFreeBytes(root)
  const finding = `${formatGibibytes(freeBytes)} free in ${root}`
  return freeBytes >= MIN_FREE_BYTES
    ? { finding }
    : { finding, fix: `free ${formatGibibytes(MIN_FREE_BYTES)} on this disk` }
}

function checkFolder() {
  return checkWritable('project folder', root, 'make it writable, or install as a user who can write it')
}

function checkData() {
  const folder = path.resolve(root, process.env.DATA_DIR || 'data')
  return checkWritable('DATA_DIR', folder, 'make it writable, or set DATA_DIR to another folder')
}

/** Checks whether a folder is writable. A missing folder would be created in its nearest existing parent. */
function checkWritable(name, folder, fix) {
  let existing = folder
  while (!fs.existsSync(existing)) existing = path.dirname(existing)
  try {
    fs.accessSync(existing, fs.constants.W_OK)
    if (fs.statSync(existing).isDirectory()) return { finding: `${name} ${folder} is writable` }
  } catch {
    // The folder is not writable.
  }
  return { finding: `${name} ${folder} is not writable`, fix }
}

function checkPort() {
  const host = process.env.HOST || '127.0.0.1'
  const port = Number(process.env.PORT || 4100)
  const address = `port ${port} on ${host}`
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', ({ code }) => {
      const isTaken = code === 'EADDRINUSE'
      const fix = isTaken
        ? 'stop the program that uses it (Parley?), or set PORT'
        : 'set HOST and PORT to an address that is allowed'
      resolve({ finding: `${address} is ${isTaken ? 'in use' : `not available (${code})`}`, fix })
    })
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve({ finding: `${address} is free` })))
  })
}

function checkGit() {
  const file = findProgram('git')
  return file === null
    ? { finding: 'git was not found', fix: formatInstallHint('git', 'git') }
    : { finding: `git (${file})` }
}

function checkRequirement({ program, debianPackage, homebrewPackage, find }) {
  return () => {
    const finding = find()
    if (finding === null)
      return { finding: `${program} was not found`, fix: formatInstallHint(debianPackage, homebrewPackage) }
    return { finding: `${program}: ${finding.version} (${finding.file ?? finding.folder})` }
  }
}

function formatInstallHint(debianPackage, homebrewPackage) {
  if (process.platform === 'darwin') return `brew install ${homebrewPackage}`
  return `install it (Debian: apt-get install ${debianPackage})`
}

function checkSharedMemory() {
  if (process.platform !== 'linux') return { finding: 'shared memory: not needed on this system' }
  const freeBytes = readFreeBytes('/dev/shm')
  const finding = `${formatGibibytes(freeBytes)} free in /dev/shm`
  if (freeBytes >= MIN_SHARED_MEMORY_BYTES) return { finding }
  return { finding, fix: 'tests are slower without; in containers set --shm-size=2g' }
}

function checkCores() {
  const count = os.cpus().length
  const finding = `${count} ${count === 1 ? 'core' : 'cores'}`
  return count >= MIN_BENCH_CORES ? { finding } : { finding, fix: `use a machine with ${MIN_BENCH_CORES} cores` }
}

function checkOpenFiles() {
  if (process.platform === 'win32') return { finding: 'open files: no limit on this system' }
  // Node raises its soft limit to the hard limit.
  process.report.excludeNetwork = true
  const { hard } = process.report.getReport().userLimits.open_files
  const finding = `${hard} open files`
  return hard === 'unlimited' || Number(hard) >= MIN_OPEN_FILES
    ? { finding }
    : { finding, fix: `raise the hard limit: ulimit -Hn ${MIN_OPEN_FILES} as root, or limits.conf` }
}

function readFreeBytes(folder) {
  try {
    const { bavail, bsize } = fs.statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}

function formatGibibytes(bytes) {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`
}

async function main() {
  for (const { name, isRequired, checks } of SECTIONS) {
    console.log(`For ${name}`)
    for (const check of checks) {
      const { finding, fix } = await check()
      console.log(fix === undefined ? `  ok       ${finding}` : `  missing  ${finding}: ${fix}`)
      if (fix !== undefined && isRequired) process.exitCode = 1
    }
  }
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
