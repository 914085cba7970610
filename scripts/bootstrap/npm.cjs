'use strict'

/** Runs npm, with a chosen Node, quietly; its output is shown only when it fails. */

const fs = require('node:fs')
const path = require('node:path')

const DEADLINE_MS = 15 * 60_000
const KEPT_OUTPUT_CHARACTERS = 20_000
const SHOWN_LINES = 10

/** A failure with a sentence for the person at the terminal; its stack is of no use. */
class SetupError extends Error {
  constructor(message) {
    super(message)
    this.name = 'SetupError'
  }
}

function withFirstInPath(environment, folder) {
  // On Windows the variable may be spelled Path.
  const key = Object.keys(environment).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  return { ...environment, [key]: environment[key] ? folder + path.delimiter + environment[key] : folder }
}

/** Path of npm's own program, so that it can be run with another Node; null when only a wrapper was found. */
function findNpmProgram() {
  const isNpm = (file) => /^npm(-cli)?\.c?js$/.test(path.basename(file)) && fs.existsSync(file)
  const given = process.env.npm_execpath
  if (given && isNpm(given)) return given
  const nodeFolder = path.dirname(process.execPath)
  const pathFolders = (process.env.PATH ?? process.env.Path ?? '').split(path.delimiter)
  const candidates = [
    path.join(nodeFolder, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    path.join(nodeFolder, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    ...pathFolders.map((folder) => realPathOrNull(path.join(folder, 'npm'))),
  ]
  return candidates.find((candidate) => candidate !== null && isNpm(candidate)) ?? null
}

function realPathOrNull(file) {
  try {
    return fs.realpathSync(file)
  } catch {
    return null
  }
}

/** Settings that `npm run` hands down and that would send an install elsewhere or make it partial. */
const MISLEADING_SETTINGS =
  /^npm_config_(prefix|local_prefix|global_prefix|global|location|workspaces?|include_workspace_root|dry_run|omit|include|only|production|package_lock|save)$/i

function npmEnvironment(node) {
  const kept = Object.entries(process.env).filter(([name]) => !MISLEADING_SETTINGS.test(name))
  // The brought Node knows only its own certificates; a company's proxy has its certificate in the system.
  return withFirstInPath({ NODE_USE_SYSTEM_CA: '1', ...Object.fromEntries(kept) }, path.dirname(node))
}

/** Runs npm in a folder and resolves to its exit code and the beginning of its output. Rejects when npm cannot be started. */
function runNpm(node, folder, npmArguments) {
  const { spawn } = require('node:child_process')
  const program = findNpmProgram()
  const common = [
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    '--no-progress',
    '--no-update-notifier',
    '--loglevel=error',
  ]
  // npm waits up to a minute between attempts unless told; somebody sits before this terminal.
  const patience = ['--fetch-retry-mintimeout=500', '--fetch-retry-factor=3', '--fetch-retry-maxtimeout=5000']
  const all = [...npmArguments, ...common, ...patience]
  return new Promise((resolve, reject) => {
    const child = spawn(program ? node : 'npm', program ? [program, ...all] : all, {
      cwd: folder,
      env: npmEnvironment(node),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: DEADLINE_MS,
      // Without npm's own program there is only a wrapper, which on Windows is a script.
      shell: !program && process.platform === 'win32',
    })
    let output = ''
    const keep = (chunk) => {
      output = (output + chunk).slice(0, KEPT_OUTPUT_CHARACTERS)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    const stop = () => {
      child.kill()
      process.exit(130)
    }
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
    const settle = (finish) => {
      process.removeListener('SIGINT', stop)
      process.removeListener('SIGTERM', stop)
      finish()
    }
    child.on('error', (error) =>
      settle(() =>
        reject(new SetupError(`npm could not be started (${error.message}). It comes with Node: https://nodejs.org`)),
      ),
    )
    child.on('close', (code, signal) => settle(() => resolve({ code: code ?? 1, signal, output })))
  })
}

/** One or two sentences on why npm failed, with the beginning of its output. */
function describeNpmFailure({ code, signal, output }) {
  // npm names the reason first; stacks and the place of its log file follow.
  const isMeaningful = (line) => line.trim() !== '' && !/^npm error(\s+at .*)?$|complete log of this run/.test(line)
  const detail = output.split('\n').filter(isMeaningful).slice(0, SHOWN_LINES).join('\n')
  return `${reasonOf(code, signal, output)}${detail ? `\n\n${detail}\n` : ''}`
}

function reasonOf(code, signal, output) {
  if (signal) return `npm was ended by ${signal} (it may take ${DEADLINE_MS / 60_000} minutes at most).`
  if (
    /E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH)|ERR_SOCKET_TIMEOUT|code E5\d\d/.test(
      output,
    )
  ) {
    return 'the npm registry could not be reached. Is the network up? A mirror or a proxy is set with `npm config set registry …` or `npm config set proxy …`.'
  }
  if (/ENOSPC/.test(output)) return 'the disk is full.'
  if (/EACCES|EPERM|EROFS/.test(output)) return 'the folder of the project or npm’s cache cannot be written.'
  return `npm ended with exit code ${code}.`
}

module.exports = { SetupError, describeNpmFailure, runNpm, withFirstInPath }
