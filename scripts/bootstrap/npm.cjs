'use strict'

/** Runs npm with a specific Node version, quietly. The output is displayed only if npm fails. */

const fs = require('node:fs')
const path = require('node:path')
const { SetupError, runQuietly, prependToPath } = require('./run.cjs')

const DEADLINE_MS = 15 * 60_000
const MAX_SHOWN_LINES = 10

const QUIET = ['--no-audit', '--no-fund', '--no-progress', '--no-update-notifier', '--loglevel=error']
/** By default, npm waits up to a minute between attempts, which is too long for a person at a terminal. */
const RETRIES = ['--fetch-retry-mintimeout=500', '--fetch-retry-factor=3', '--fetch-retry-maxtimeout=5000']

/** Settings inherited from `npm run` that would redirect an install or make it partial. */
const IGNORED_SETTINGS =
  /^npm_config_(prefix|local_prefix|global_prefix|global|location|workspaces?|include_workspace_root|dry_run|omit|include|only|production|package_lock|save)$/i

const NETWORK_ERROR =
  /E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH)|ERR_SOCKET_TIMEOUT|code E5\d\d/

/** Returns the path of the npm program, so that another Node version can run it, or null if only a wrapper exists. */
function findNpmProgram() {
  const isNpm = (file) => /^npm(-cli)?\.c?js$/.test(path.basename(file)) && fs.existsSync(file)
  const nodeFolder = path.dirname(process.execPath)
  const pathFolders = (process.env.PATH ?? process.env.Path ?? '').split(path.delimiter)
  const candidates = [
    process.env.npm_execpath ?? '',
    path.join(nodeFolder, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    path.join(nodeFolder, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    ...pathFolders.map((folder) => resolveRealPath(path.join(folder, 'npm'))),
  ]
  return candidates.find(isNpm) ?? null
}

function resolveRealPath(file) {
  try {
    return fs.realpathSync(file)
  } catch {
    return ''
  }
}

function createNpmEnvironment(node) {
  const keptEntries = Object.entries(process.env).filter(([name]) => !IGNORED_SETTINGS.test(name))
  // A Node binary from the registry trusts only its built-in certificates. The certificate of a company proxy is installed in
  // the system.
  return prependToPath({ NODE_USE_SYSTEM_CA: '1', ...Object.fromEntries(keptEntries) }, path.dirname(node))
}

/** Runs npm in a folder and resolves to its exit code, signal and output. @throws SetupError if npm cannot be started */
async function runNpm(node, folder, npmArguments) {
  const program = findNpmProgram()
  const allArguments = [...npmArguments, '--prefix', folder, ...QUIET, ...RETRIES]
  try {
    return await runQuietly(program ? node : 'npm', program ? [program, ...allArguments] : allArguments, {
      cwd: folder,
      env: createNpmEnvironment(node),
      deadlineMs: DEADLINE_MS,
      // On Windows, the wrapper is a script.
      shell: !program && process.platform === 'win32',
    })
  } catch (error) {
    throw new SetupError(`npm could not be started (${error.message}). It comes with Node: https://nodejs.org`)
  }
}

/** Describes in one or two sentences why npm failed, with the first lines of its output. */
function describeNpmFailure({ code, signal, output }) {
  const isRelevant = (line) => line.trim() !== '' && !/^npm error(\s+at .*)?$|complete log of this run/.test(line)
  const detail = output.split('\n').filter(isRelevant).slice(0, MAX_SHOWN_LINES).join('\n')
  return `${findReason(code, signal, output)}${detail ? `\n\n${detail}\n` : ''}`
}

function findReason(code, signal, output) {
  if (signal) return `npm was killed by ${signal} (time limit: ${DEADLINE_MS / 60_000} minutes).`
  if (NETWORK_ERROR.test(output)) {
    return 'the npm registry could not be reached. Is the network up? Set a mirror or a proxy with `npm config set registry …` or `npm config set proxy …`.'
  }
  if (/ENOSPC/.test(output)) return 'the disk is full.'
  if (/EACCES|EPERM|EROFS/.test(output)) return 'the folder of the project or npm’s cache cannot be written.'
  return `npm ended with exit code ${code}.`
}

module.exports = { describeNpmFailure, findNpmProgram, runNpm }
