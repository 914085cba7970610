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

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { isDashboardReady } = require('./bootstrap/dashboard-sources.cjs')
const { areDependenciesReady, ensureDependencies } = require('./bootstrap/dependencies.cjs')
const { ensureRuntime, findRuntime } = require('./bootstrap/runtime.cjs')

const root = path.resolve(__dirname, '..')

/**
 * Returns the path of a Node that runs Parley, after seeing to it that the dependencies are installed. `mode` is
 * `production`, or `development` to have the tools for tests and checks as well. `withDashboard` is for whatever serves:
 * it sees to a build of the dashboard. Silent and quick when all is there.
 */
async function prepare(mode, { withDashboard = false } = {}) {
  const present = findRuntime(root)
  if (present && areDependenciesReady(root, mode) && (!withDashboard || isDashboardReady(root))) return present
  const { acquireLock } = require('./bootstrap/lock.cjs')
  const release = await acquireLock(path.join(root, '.node'))
  try {
    const node = await ensureRuntime(root)
    await ensureDependencies(root, mode, node)
    if (withDashboard) {
      const { ensureDashboard } = require('./bootstrap/dashboard.cjs')
      await ensureDashboard(root, node)
    }
    return node
  } finally {
    release()
  }
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

module.exports = { becomeProgram, environmentFor, prepare, root, runCommand, runProgram }
