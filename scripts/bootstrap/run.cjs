'use strict'

/** Runs other programs, either in the current terminal or quietly with a deadline. */

const { spawn } = require('node:child_process')
const os = require('node:os')
const path = require('node:path')

const MAX_OUTPUT_CHARACTERS = 100_000
/** Exit code that shells use for a program ended by Ctrl-C. */
const INTERRUPTED = 130

/** A failure that is explained to the person at the terminal in one sentence. Its stack trace is not printed. */
class SetupError extends Error {
  constructor(message) {
    super(message)
    this.name = 'SetupError'
  }
}

function prependToPath(environment, folder) {
  // On Windows, the variable can be spelled `Path`.
  const key = Object.keys(environment).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  return { ...environment, [key]: environment[key] ? folder + path.delimiter + environment[key] : folder }
}

/**
 * Runs a program in the current terminal. Resolves to its exit code, or to 128 + the signal number if a signal ended it, as in
 * shells.
 */
function runInTerminal(file, programArguments, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, programArguments, { cwd, env, stdio: 'inherit' })
    const removeHandlers = handleSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], (signal) => {
      // A terminal sends Ctrl-C to the whole process group. A second SIGINT would stop the server immediately.
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
 * Runs a program without a terminal. Resolves to its exit code, the signal that ended it, and its output. Ends the program
 * after `deadlineMs`, or when the current process ends. Rejects if the program cannot be started.
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

/** Adds signal handlers and returns a function that removes them. */
function handleSignals(signals, handler) {
  for (const signal of signals) process.on(signal, handler)
  return () => {
    for (const signal of signals) process.removeListener(signal, handler)
  }
}

module.exports = { SetupError, runInTerminal, runQuietly, prependToPath }
