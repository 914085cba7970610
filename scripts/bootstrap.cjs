'use strict'

/**
 * Makes a clean clone runnable with nothing but npm and some Node: brings the runtime, installs the dependencies, runs
 * programs with both. Plain CommonJS without dependencies, since nothing else may be there yet.
 */

const OLDEST_NODE_MAJOR = 20
if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE_MAJOR) {
  console.error(
    `Parley needs Node ${OLDEST_NODE_MAJOR} or newer; this is ${process.version}. Get one from https://nodejs.org`,
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

/** Builds that this process knows to be there and current. */
const built = new Set()

function isReady(name) {
  if (!built.has(name) && isBuilt(root, BUILDS[name])) built.add(name)
  return built.has(name)
}

/** Where nothing is there to bundle it, the server runs as its sources are. */
function lacksBuild(name) {
  return !isReady(name) && (name !== 'server' || findBundler(root) !== null)
}

/**
 * Returns the path of a Node that runs Parley, after seeing to it that the dependencies are installed. `mode` is
 * `production`, or `development` to have the tools for tests and checks as well. `builds` are names of what is to be built:
 * the dashboard for whatever serves, the server for what is to start quickly. Silent and quick when all is there.
 */
async function prepare(mode, builds = []) {
  const present = findRuntime(root)
  if (present && areDependenciesReady(root, mode) && !builds.some(lacksBuild)) return present
  const { acquireLock } = require('./bootstrap/lock.cjs')
  const release = await acquireLock(path.join(root, '.node'))
  try {
    const node = await ensureRuntime(root)
    await ensureDependencies(root, mode, node)
    for (const name of builds.filter(lacksBuild)) {
      const { ensureBuild } = require('./bootstrap/build.cjs')
      await ensureBuild(root, BUILDS[name], node)
    }
    return node
  } finally {
    release()
  }
}

/** The program of the server: its build where there is one of the sources as they are, else the sources. */
function serverFile() {
  const bundle = path.join(distFolder(root, BUILDS.server), 'main.js')
  return isReady('server') && fs.existsSync(bundle) ? bundle : path.join(root, 'packages', 'server', 'src', 'main.ts')
}

/** The environment of a program: commands that it starts by name find the same Node. */
function environmentFor(node, extra) {
  const { withFirstInPath } = require('./bootstrap/npm.cjs')
  return { ...withFirstInPath(process.env, path.dirname(node)), ...extra }
}

/** Runs a program to its end with our input and output and resolves to its exit code. Signals are passed on to it. */
function runProgram(node, file, programArguments, extraEnvironment = {}) {
  const { runToEnd } = require('./bootstrap/run.cjs')
  return runToEnd(node, [file, ...programArguments], { cwd: root, env: environmentFor(node, extraEnvironment) })
}

/** Becomes a program: inside this process when it already is the right Node (saves the start of a second one). */
async function becomeProgram(node, file, programArguments) {
  if (node !== process.execPath) {
    process.exitCode = await runProgram(node, file, programArguments)
    return
  }
  process.chdir(root)
  process.argv = [node, file, ...programArguments]
  await import(pathToFileURL(file).href)
}

/** Runs a command of `package.json`. A failure that was foreseen is one sentence, any other keeps its stack. */
function runCommand(command) {
  command().catch((error) => {
    console.error(error?.name === 'SetupError' ? `\n${error.message}` : error)
    process.exitCode = 1
  })
}

module.exports = { becomeProgram, environmentFor, prepare, root, runCommand, runProgram, serverFile }
