'use strict'

/**
 * Makes a clean clone runnable with nothing but npm and an older Node: downloads the runtime, installs the dependencies, runs
 * programs with both. Plain CommonJS without dependencies, since nothing is installed when it runs.
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
const { BUILDS, distFolder, findBundler, isBuilt } = require('./bootstrap/build-sources.cjs')
const { areDependenciesReady, ensureDependencies } = require('./bootstrap/dependencies.cjs')
const { ensureRuntime, findRuntime } = require('./bootstrap/runtime.cjs')

const root = path.resolve(__dirname, '..')

/** Builds that are known to be current. */
const currentBuilds = new Set()

function isCurrent(name) {
  if (!currentBuilds.has(name) && isBuilt(root, BUILDS[name])) currentBuilds.add(name)
  return currentBuilds.has(name)
}

/** Without a bundler the server runs from its sources. */
function needsBuild(name) {
  return !isCurrent(name) && (name !== 'server' || findBundler(root) !== null)
}

/**
 * Installs and builds what is missing and returns the path of a Node that runs Parley. `mode` is `production`, or
 * `development` for the tools of tests and checks as well; `builds` are names from `BUILDS`. Silent when nothing is missing.
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

/** The server's program: its bundle if that is current, else its sources. */
function serverFile() {
  const bundle = path.join(distFolder(root, BUILDS.server), 'main.js')
  return isCurrent('server') && fs.existsSync(bundle) ? bundle : path.join(root, 'packages', 'server', 'src', 'main.ts')
}

/** Programs that a program starts by name find the same Node. */
function environmentFor(node, extra) {
  const { withFirstInPath } = require('./bootstrap/run.cjs')
  return { ...withFirstInPath(process.env, path.dirname(node)), ...extra }
}

/** Runs a program with this terminal, passes signals on to it and resolves to its exit code. */
function runProgram(node, file, programArguments, extraEnvironment = {}) {
  const { runInTerminal } = require('./bootstrap/run.cjs')
  return runInTerminal(node, [file, ...programArguments], { cwd: root, env: environmentFor(node, extraEnvironment) })
}

/** Runs a program in place of this one: within this process if it already is the right Node, which starts faster. */
async function becomeProgram(node, file, programArguments) {
  if (node !== process.execPath) {
    process.exitCode = await runProgram(node, file, programArguments)
    return
  }
  process.chdir(root)
  process.argv = [node, file, ...programArguments]
  await import(pathToFileURL(file).href)
}

/** Runs a command of `package.json`. A `SetupError` is printed as a sentence, any other error with its stack. */
function runCommand(command) {
  command().catch((error) => {
    console.error(error?.name === 'SetupError' ? `\n${error.message}` : error)
    process.exitCode = 1
  })
}

module.exports = { becomeProgram, environmentFor, prepare, root, runCommand, runProgram, serverFile }
