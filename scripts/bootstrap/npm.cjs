'use strict'

/** Runs npm with a chosen Node, quietly; its output is shown only when it fails. */

const fs = require('node:fs')
const path = require('node:path')
const { SetupError, runQuietly, withFirstInPath } = require('./run.cjs')

const DEADLINE_MS = 15 * 60_000
const MAX_SHOWN_LINES = 10

const QUIET = ['--no-audit', '--no-fund', '--no-progress', '--no-update-notifier', '--loglevel=error']
/** By default npm waits up to a minute between attempts, too long for a person at a terminal. */
const RETRIES = ['--fetch-retry-mintimeout=500', '--fetch-retry-factor=3', '--fetch-retry-maxtimeout=5000']

/** Settings that `npm run` passes on and that would send an install elsewhere or make it partial. */
const IGNORED_SETTINGS =
  /^npm_config_(prefix|local_prefix|global_prefix|global|location|workspaces?|include_workspace_root|dry_run|omit|include|only|production|package_lock|save)$/i

const NETWORK_ERROR =
  /E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH)|ERR_SOCKET_TIMEOUT|code E5\d\d/

/** Path of npm's own program, so that another Node can run it; null when only a wrapper was found. */
function findNpmProgram() {
  const isNpm = (file) => /^npm(-cli)?\.c?js$/.test(path.basename(file)) && fs.existsSync(file)
  const nodeFolder = path.dirname(process.execPath)
  const pathFolders = (process.env.PATH ?? process.env.Path ?? '').split(path.delimiter)
  const candidates = [
    process.env.npm_execpath ?? '',
    path.join(nodeFolder, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    path.join(nodeFolder, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    ...pathFolders.map((folder) => realPath(path.join(folder, 'npm'))),
  ]
  return candidates.find(isNpm) ?? null
}

function realPath(file) {
  try {
    return fs.realpathSync(file)
  } catch {
    return ''
  }
}

function npmEnvironment(node) {
  const kept = Object.entries(process.env).filter(([name]) => !IGNORED_SETTINGS.test(name))
  // A Node from the registry knows only its own certificates; that of a company's proxy is installed in the system.
  return withFirstInPath({ NODE_USE_SYSTEM_CA: '1', ...Object.fromEntries(kept) }, path.dirname(node))
}

/** Runs npm in a folder and resolves to its exit code, signal and output. @throws SetupError when npm cannot be started */
async function runNpm(node, folder, npmArguments) {
  const program = findNpmProgram()
  const all = [...npmArguments, '--prefix', folder, ...QUIET, ...RETRIES]
  try {
    return await runQuietly(program ? node : 'npm', program ? [program, ...all] : all, {
      cwd: folder,
      env: npmEnvironment(node),
      deadlineMs: DEADLINE_MS,
      // On Windows the wrapper is a script.
      shell: !program && process.platform === 'win32',
    })
  } catch (error) {
    throw new SetupError(`npm could not be started (${error.message}). It comes with Node: https://nodejs.org`)
  }
}

/** One or two sentences on why npm failed, with the first lines of its output. */
function describeNpmFailure({ code, signal, output }) {
  const isRelevant = (line) => line.trim() !== '' && !/^npm error(\s+at .*)?$|complete log of this run/.test(line)
  const detail = output.split('\n').filter(isRelevant).slice(0, MAX_SHOWN_LINES).join('\n')
  return `${reasonOf(code, signal, output)}${detail ? `\n\n${detail}\n` : ''}`
}

function reasonOf(code, signal, output) {
  if (signal) return `npm was ended by ${signal} (it may take ${DEADLINE_MS / 60_000} minutes at most).`
  if (NETWORK_ERROR.test(output)) {
    return 'the npm registry could not be reached. Is the network up? Set a mirror or a proxy with `npm config set registry …` or `npm config set proxy …`.'
  }
  if (/ENOSPC/.test(output)) return 'the disk is full.'
  if (/EACCES|EPERM|EROFS/.test(output)) return 'the folder of the project or npm’s cache cannot be written.'
  return `npm ended with exit code ${code}.`
}

module.exports = { describeNpmFailure, findNpmProgram, runNpm }
