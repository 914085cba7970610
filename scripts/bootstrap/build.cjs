'use strict'

/** Makes builds of the dashboard and of the server when there are none of their sources as they are. */

const fs = require('node:fs')
const path = require('node:path')
const { promisify, stripVTControlCharacters } = require('node:util')
const { BUILDS, describeSources, distFolder, findBundler, isBuilt, writeStamp } = require('./build-sources.cjs')
const { SetupError, withFirstInPath } = require('./npm.cjs')

const DEADLINE_MS = 5 * 60_000
const KEPT_OUTPUT_CHARACTERS = 20_000
/** Folders of builds under way, beside `dist`. */
const WORK_FOLDER = /^\.build-\d+$/
/** Fonts and pictures are compressed as they are. */
const COMPRESSED = /\.(?:js|css|svg)$/

/** Builds what is missing with the given Node. The caller holds the install lock. @throws SetupError */
async function ensureBuild(root, build, node) {
  if (isBuilt(root, build)) return
  const startedAtMs = Date.now()
  process.stderr.write(`Building ${build.name} (once) … `)
  const dist = distFolder(root, build)
  const folder = path.dirname(dist)
  const workFolder = path.join(folder, `.build-${process.pid}`)
  try {
    for (const name of fs.readdirSync(folder).filter((each) => WORK_FOLDER.test(each))) removeFolder(folder, name)
    // Named like the build, so that whatever leaves builds aside leaves a work folder aside that outlived its process.
    const incoming = path.join(workFolder, 'new', 'dist')
    fs.mkdirSync(incoming, { recursive: true })
    // Looked at before: what is changed while the build runs is built the next time.
    const sources = describeSources(root, build)
    const tool = TOOLS[build.package]
    const { code, output } = await runTool(node, folder, tool.command({ root, folder, incoming }))
    if (code !== 0 || !fs.existsSync(path.join(incoming, tool.result))) {
      throw cannotBuild(build, `(${tool.name}, exit code ${code}).\n\n${tellingPart(output)}\n`)
    }
    await tool.finish(incoming)
    writeStamp(incoming, sources)
    replaceFolder(dist, incoming, path.join(workFolder, 'old', 'dist'))
  } catch (error) {
    if (error.code === undefined) throw error
    throw cannotBuild(build, `: ${error.message}`)
  } finally {
    removeFolder(folder, path.basename(workFolder))
  }
  process.stderr.write(`done in ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s\n`)
}

function cannotBuild(build, why) {
  const subject = build.name[0].toUpperCase() + build.name.slice(1)
  return new SetupError(`${subject} could not be built${why.startsWith(':') ? '' : ' '}${why}`)
}

const TOOLS = {
  dashboard: {
    name: 'vite build',
    result: 'index.html',
    command: ({ folder, incoming }) => {
      const vite = path.join(path.dirname(findVite(folder)), 'bin', 'vite.js')
      return [vite, 'build', '--outDir', incoming, '--emptyOutDir', '--logLevel', 'warn']
    },
    finish: compressAll,
  },
  server: {
    name: 'rolldown',
    result: 'main.js',
    command: ({ root, incoming }) => [path.join(__dirname, 'bundle-server.mjs'), findBundler(root), root, incoming],
    finish: async () => {},
  },
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

/** Runs a build in the folder of its package and resolves to its exit code and what it said. */
function runTool(node, folder, command) {
  const { spawn } = require('node:child_process')
  const environment = { ...withFirstInPath(process.env, path.dirname(node)), NODE_ENV: 'production' }
  return new Promise((resolve, reject) => {
    const child = spawn(node, command, {
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
    return require.resolve('vite/package.json', { paths: [folder] })
  } catch {
    throw cannotBuild(BUILDS.dashboard, ': vite is not installed. Remove node_modules and start again.')
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

module.exports = { ensureBuild }
