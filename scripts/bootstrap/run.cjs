'use strict'

/** Runs other programs: in this terminal, or quietly with a deadline. */

const { spawn } = require('node:child_process')
const os = require('node:os')
const path = require('node:path')

const MAX_OUTPUT_CHARACTERS = 100_000
/** Exit code of shells for a program that Ctrl-C ended. */
const INTERRUPTED = 130

/** A failure that one sentence explains to the person at the terminal; its stack is not printed. */
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

/** Resolves to the exit code, or to 128 + the number of the signal that ended the program, as in shells. */
function runInTerminal(file, programArguments, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, programArguments, { cwd, env, stdio: 'inherit' })
    const removeHandlers = handleSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], (signal) => {
      // A terminal sends Ctrl-C to the whole group; a second SIGINT would stop the server at once.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
    child.on('error', (error) => {
      removeHandlers()
      reject(error)
    })
    child.on('exit', (code, signal) => {
      removeHandlers()
      resolve(code ?? 128 + (os.constants.signals[signal] ?? 0))
    })
  })
}

/**
 * Runs a program without a terminal and resolves to its exit code, the signal that ended it, and its output. Ends it after
 * `deadlineMs`, and together with this process. Rejects when it cannot be started.
 */
function runQuietly(file, programArguments, { cwd, env, deadlineMs, shell = false }) {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', 'pipe', 'pipe']
    const child = spawn(file, programArguments, { cwd, env, stdio, shell, timeout: deadlineMs })
    const removeHandlers = handleSignals(['SIGINT', 'SIGTERM'], () => {
      child.kill()
      process.exit(INTERRUPTED)
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        output = (output + chunk).slice(-MAX_OUTPUT_CHARACTERS)
      })
    }
    child.on('error', (error) => {
      removeHandlers()
      reject(error)
    })
    child.on('close', (code, signal) => {
      removeHandlers()
      resolve({ code: code ?? 1, signal, output })
    })
  })
}

/** Returns the function that removes the handlers. */
function handleSignals(signals, handler) {
  for (const signal of signals) process.on(signal, handler)
  return () => {
    for (const signal of signals) process.removeListener(signal, handler)
  }
}

module.exports = { SetupError, runInTerminal, runQuietly, withFirstInPath }
