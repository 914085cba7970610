'use strict'

/**
 * Makes a clean clone runnable with only npm and an older Node version: downloads the runtime, installs the dependencies, and
 * runs programs with both. Plain CommonJS without dependencies, since nothing is installed when it runs.
 */

const MIN_NODE_MAJOR = 20
if (Number(process.versions.node.split('.')[0]) < MIN_NODE_MAJOR) {
  console.error(
    `Parley needs Node ${MIN_NODE_MAJOR} or newer; this is ${process.version}. Install it from https://nodejs.org`,
  )
  process.exit(1)
}

const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { BUILDS, getDistFolder, findBundler, isBuilt } = require('./bootstrap/build-sources.cjs')
const { areDependenciesReady, ensureDependencies } = require('./bootstrap/dependencies.cjs')
const { ensureRuntime, findRuntime } = require('./bootstrap/runtime.cjs')

const root = path.resolve(__dirname, '..')

/** Builds that are known to be current. */
const currentBuilds = new Set()

function isCurrent(name) {
  if (!currentBuilds.has(name) && isBuilt(root, BUILDS[name])) currentBuilds.add(name)
  return currentBuilds.has(name)
}

/** Whether a build is missing or outdated. Without a bundler, the server runs from its sources. */
function needsBuild(name) {
  return !isCurrent(name) && (name !== 'server' || findBundler(root) !== null)
}

/**
 * Installs and builds what is missing, and returns the path of a Node binary that can run Parley. `mode` is `production`, or
 * `development` to include test and check tools; `builds` are names from `BUILDS`. Prints nothing if nothing is missing.
 */
async function prepare(mode, builds = []) {
  const runtime = findRuntime(root)
  if (runtime && areDependenciesReady(root, mode) && !builds.some(needsBuild)) return runtime
  const { acquireLock } = require('./bootstrap/lock.cjs')
  const release = await acquireLock(path.join(root, '.node'))
  try {
    const node = await ensureRuntime(root)
    await ensureDependencies(root, mode, node)
    for (const name of builds.filter(needsBuild)) {
      const { ensureBuild } = require('./bootstrap/build.cjs')
      await ensureBuild(root, BUILDS[name], node)
    }
    return node
  } finally {
    release()
  }
}

/** Returns the server program: the bundle if it is current, otherwise the sources. */
function findServerFile() {
  const bundle = path.join(getDistFolder(root, BUILDS.server), 'main.js')
  return isCurrent('server') && fs.existsSync(bundle) ? bundle : path.join(root, 'packages', 'server', 'src', 'main.ts')
}

/** Returns an environment in which programs find the same Node binary by name. */
function createEnvironment(node, extra) {
  const { prependToPath } = require('./bootstrap/run.cjs')
  return { ...prependToPath(process.env, path.dirname(node)), ...extra }
}

/** Runs a program in the current terminal, forwards signals, and resolves to its exit code. */
function runProgram(node, file, programArguments, extraEnvironment = {}) {
  const { runInTerminal } = require('./bootstrap/run.cjs')
  return runInTerminal(node, [file, ...programArguments], { cwd: root, env: createEnvironment(node, extraEnvironment) })
}

/**
 * Replaces the current program. If the current process already runs the right Node version, the program runs in the same
 * process, which starts faster.
 */
async function replaceProgram(node, file, programArguments) {
  if (node !== process.execPath) {
    process.exitCode = await runProgram(node, file, programArguments)
    return
  }
  process.chdir(root)
  process.argv = [node, file, ...programArguments]
  await import(pathToFileURL(file).href)
}

/** Runs a command of `package.json`. A `SetupError` is printed as a sentence, and any other error with its stack. */
function runCommand(command) {
  command().catch((error) => {
    console.error(error?.name === 'SetupError' ? `\n${error.message}` : error)
    process.exitCode = 1
  })
}

module.exports = { replaceProgram, createEnvironment, prepare, root, runCommand, runProgram, findServerFile }
