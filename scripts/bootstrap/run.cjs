'use strict'

/** Runs a child with our terminal until it ends. */

const { spawn } = require('node:child_process')
const os = require('node:os')

/** Resolves to the child's exit code, or to 128 + number when a signal ended it, as shells have it. */
function runToEnd(file, childArguments, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, childArguments, { cwd, env, stdio: 'inherit' })
    const forward = (signal) => {
      // A terminal sends Ctrl-C to the whole group: the child has it already, and twice may mean "now".
      if (signal === 'SIGINT' && process.stdin.isTTY) return
      child.kill(signal)
    }
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, forward)
    const settle = () => {
      for (const signal of signals) process.removeListener(signal, forward)
    }
    child.on('error', (error) => {
      settle()
      reject(error)
    })
    child.on('exit', (code, signal) => {
      settle()
      resolve(code ?? 128 + (os.constants.signals[signal] ?? 0))
    })
  })
}

module.exports = { runToEnd }
