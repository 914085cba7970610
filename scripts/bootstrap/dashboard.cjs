'use strict'

/** Builds the dashboard when there is no build of its sources, and keeps compressed copies of what browsers load. */

const fs = require('node:fs')
const path = require('node:path')
const { promisify, stripVTControlCharacters } = require('node:util')
const { describeSources, distFolder, isDashboardReady, writeStamp } = require('./dashboard-sources.cjs')
const { SetupError, withFirstInPath } = require('./npm.cjs')

const DEADLINE_MS = 5 * 60_000
const KEPT_OUTPUT_CHARACTERS = 20_000
/** Folders of builds under way, beside `dist`. */
const WORK_FOLDER = /^\.build-\d+$/
/** Fonts and pictures are compressed as they are. */
const COMPRESSED = /\.(?:js|css|svg)$/

/** Builds what is missing with the given Node. The caller holds the install lock. */
async function ensureDashboard(root, node) {
  if (isDashboardReady(root)) return
  const startedAtMs = Date.now()
  process.stderr.write('Building the dashboard (once) … ')
  const dist = distFolder(root)
  const folder = path.dirname(dist)
  const workFolder = path.join(folder, `.build-${process.pid}`)
  try {
    for (const name of fs.readdirSync(folder).filter((each) => WORK_FOLDER.test(each))) removeFolder(folder, name)
    // Named like the build, so that whatever leaves builds aside leaves a work folder aside that outlived its process.
    const incoming = path.join(workFolder, 'new', 'dist')
    fs.mkdirSync(incoming, { recursive: true })
    // Looked at before: what is changed while the build runs is built the next time.
    const sources = describeSources(root)
    const { code, output } = await runVite(node, folder, incoming)
    if (code !== 0 || !fs.existsSync(path.join(incoming, 'index.html'))) {
      throw new SetupError(
        `The dashboard could not be built (vite build, exit code ${code}).\n\n${tellingPart(output)}\n`,
      )
    }
    await compressAll(incoming)
    writeStamp(incoming, sources)
    replaceFolder(dist, incoming, path.join(workFolder, 'old', 'dist'))
  } catch (error) {
    if (error.code === undefined) throw error
    throw new SetupError(`The dashboard could not be built: ${error.message}`)
  } finally {
    removeFolder(folder, path.basename(workFolder))
  }
  process.stderr.write(`done in ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s\n`)
}

/** Without colours, which the tool prints into files as well, and without the stack within itself. */
function tellingPart(output) {
  const lines = stripVTControlCharacters(output).split('\n')
  return lines
    .filter((line) => !/^ +at /.test(line))
    .join('\n')
    .trim()
}

function removeFolder(folder, name) {
  fs.rmSync(path.join(folder, name), { recursive: true, force: true })
}

/** A crash between the two steps leaves no build, which the next start makes; half a build is never seen. */
function replaceFolder(destination, incoming, aside) {
  fs.mkdirSync(path.dirname(aside), { recursive: true })
  if (fs.existsSync(destination)) fs.renameSync(destination, aside)
  fs.renameSync(incoming, destination)
}

/** Runs the build in the folder of the dashboard and resolves to its exit code and what it said. */
function runVite(node, folder, outputFolder) {
  const { spawn } = require('node:child_process')
  const program = findVite(folder)
  const environment = { ...withFirstInPath(process.env, path.dirname(node)), NODE_ENV: 'production' }
  return new Promise((resolve, reject) => {
    const child = spawn(node, [program, 'build', '--outDir', outputFolder, '--emptyOutDir', '--logLevel', 'warn'], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: DEADLINE_MS,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        output = (output + chunk).slice(-KEPT_OUTPUT_CHARACTERS)
      })
    }
    // Ended by hand, the process still gives back the lock and takes its work folder with it.
    const stop = () => {
      child.kill()
      removeFolder(folder, `.build-${process.pid}`)
      process.exit(130)
    }
    const signals = ['SIGINT', 'SIGTERM']
    for (const signal of signals) process.once(signal, stop)
    const settle = () => {
      for (const signal of signals) process.removeListener(signal, stop)
    }
    child.on('error', (error) => {
      settle()
      reject(error)
    })
    child.on('close', (code, signal) => {
      settle()
      if (signal) output += `ended by ${signal} (it may take ${DEADLINE_MS / 60_000} minutes at most)\n`
      resolve({ code: code ?? 1, output })
    })
  })
}

/** npm puts it where it fits: beside the packages of the whole project, or of the dashboard alone. */
function findVite(folder) {
  try {
    const description = require.resolve('vite/package.json', { paths: [folder] })
    return path.join(path.dirname(description), 'bin', 'vite.js')
  } catch {
    throw new SetupError(
      'The dashboard could not be built: vite is not installed. Remove node_modules and start again.',
    )
  }
}

async function compressAll(folder) {
  const files = [folder, path.join(folder, 'assets')]
    .filter((each) => fs.existsSync(each))
    .flatMap((each) => fs.readdirSync(each).map((name) => path.join(each, name)))
  await Promise.all(files.filter((file) => COMPRESSED.test(file)).map(compress))
}

/** Writes `.br` and `.gz` beside a file where they are smaller: made once, so that the server need not at every answer. */
async function compress(file) {
  const zlib = require('node:zlib')
  const content = fs.readFileSync(file)
  const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 11 } }
  const [br, gz] = await Promise.all([
    promisify(zlib.brotliCompress)(content, brotli),
    promisify(zlib.gzip)(content, { level: 9 }),
  ])
  if (br.length < content.length) fs.writeFileSync(`${file}.br`, br)
  if (gz.length < content.length) fs.writeFileSync(`${file}.gz`, gz)
}

module.exports = { ensureDashboard }
