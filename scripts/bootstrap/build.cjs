'use strict'

/** Builds the dashboard and the server if there is no build of the current sources. */

const fs = require('node:fs')
const path = require('node:path')
const { promisify, stripVTControlCharacters } = require('node:util')
const { BUILDS, getDistFolder, findBundler, isBuilt, readSourceStamp, writeStamp } = require('./build-sources.cjs')
const { SetupError, runQuietly, prependToPath } = require('./run.cjs')

const DEADLINE_MS = 5 * 60_000
/** Folders of builds in progress, next to `dist`. */
const WORK_FOLDER = /^\.build-\d+$/
/** File types to compress. Fonts and pictures are already compressed. */
const COMPRESSIBLE = /\.(?:js|css|svg)$/

/** Replaces an outdated build. The caller must hold the install lock. @throws SetupError */
async function ensureBuild(root, build, node) {
  if (isBuilt(root, build)) return
  const startedAtMs = Date.now()
  process.stderr.write(`Building the ${build.name} (once) … `)
  const folder = path.dirname(getDistFolder(root, build))
  const removeWorkFolders = () => {
    const names = fs.readdirSync(folder).filter((name) => WORK_FOLDER.test(name))
    for (const name of names) fs.rmSync(path.join(folder, name), { recursive: true, force: true })
  }
  removeWorkFolders()
  process.once('exit', removeWorkFolders)
  try {
    await buildInto(path.join(folder, `.build-${process.pid}`), { root, build, node })
  } catch (error) {
    throw error.code === undefined ? error : createBuildError(build, `: ${error.message}`)
  } finally {
    process.removeListener('exit', removeWorkFolders)
    removeWorkFolders()
  }
  process.stderr.write(`done in ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s\n`)
}

async function buildInto(workFolder, { root, build, node }) {
  const dist = getDistFolder(root, build)
  // The folder is also named `dist`, so that tools that ignore builds ignore it.
  const incoming = path.join(workFolder, 'new', 'dist')
  fs.mkdirSync(incoming, { recursive: true })
  // The stamp is read before the build, so that a change during the build triggers another build.
  const stamp = readSourceStamp(root, build)
  const tool = TOOLS[build.name]
  const { code, signal, output } = await runQuietly(node, tool.command(root, incoming), {
    cwd: path.dirname(dist),
    env: { ...prependToPath(process.env, path.dirname(node)), NODE_ENV: 'production' },
    deadlineMs: DEADLINE_MS,
  })
  if (code !== 0 || !fs.existsSync(path.join(incoming, tool.result))) {
    const reason = signal ? `killed by ${signal} (time limit: ${DEADLINE_MS / 60_000} minutes)` : `exit code ${code}`
    throw createBuildError(build, ` (${tool.name}, ${reason}).\n\n${removeStack(output)}\n`)
  }
  if (tool.isServed) await compressAll(incoming)
  writeStamp(incoming, stamp)
  replaceFolder(dist, incoming, path.join(workFolder, 'old', 'dist'))
}

const TOOLS = {
  dashboard: {
    name: 'vite build',
    result: 'index.html',
    isServed: true,
    command: (root, incoming) => [findVite(root), 'build', '--outDir', incoming, '--emptyOutDir', '--logLevel', 'warn'],
  },
  server: {
    name: 'rolldown',
    result: 'main.js',
    isServed: false,
    command: (root, incoming) => [path.join(__dirname, 'bundle-server.mjs'), findBundler(root), root, incoming],
  },
}

function createBuildError({ name }, reason) {
  return new SetupError(`The ${name} could not be built${reason}`)
}

/** Returns the path of Vite, which npm installs with the packages of the project or of the dashboard. */
function findVite(root) {
  try {
    const file = require.resolve('vite/package.json', { paths: [path.dirname(getDistFolder(root, BUILDS.dashboard))] })
    return path.join(path.dirname(file), 'bin', 'vite.js')
  } catch {
    throw createBuildError(BUILDS.dashboard, ': vite is not installed. Remove node_modules and start again.')
  }
}

/** Returns the output of a tool without colors and stack traces. */
function removeStack(output) {
  return stripVTControlCharacters(output)
    .replace(/^ +at .*\n?/gm, '')
    .trim()
}

/**
 * Replaces a folder in two steps. A crash between the steps leaves no build, and the next start creates one; a partial build is
 * never visible.
 */
function replaceFolder(destination, incoming, previous) {
  fs.mkdirSync(path.dirname(previous), { recursive: true })
  if (fs.existsSync(destination)) fs.renameSync(destination, previous)
  fs.renameSync(incoming, destination)
}

async function compressAll(folder) {
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => COMPRESSIBLE.test(name))
    .map((name) => path.join(folder, name))
  await Promise.all(files.map(compress))
}

/** Writes `.br` and `.gz` files next to a file if they are smaller, so that the server does not have to compress responses. */
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
