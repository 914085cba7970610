'use strict'

/**
 * `npm run bench`: runs the named programs in `bench/`, or all of them, in sequence. With `--smoke`, each program makes a short
 * run that only proves that it works, with one run per core. Other options are passed to the programs.
 */

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { createEnvironment, prepare, root, runCommand, runProgram } = require('./bootstrap.cjs')

/** Programs that start first in smoke runs, so that no slow program runs alone at the end. */
const SLOWEST = ['nodes', 'dashboard', 'api', 'turn', 'dashboard-lighthouse', 'start']

/** Seconds after which a short run is killed. */
const SMOKE_TIMEOUT_S = 180

/** Runs a benchmark and resolves to its exit code. Prints the duration and output in one block when the benchmark ends. */
function runSmoke(node, file, options) {
  return new Promise((resolve) => {
    const child = spawn(node, [file, ...options], {
      cwd: root,
      env: createEnvironment(node),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: SMOKE_TIMEOUT_S * 1000,
    })
    const startedAtMs = Date.now()
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    child.on('close', (code) => {
      const seconds = Math.round((Date.now() - startedAtMs) / 1000)
      process.stdout.write(`\n# ${path.basename(file, '.ts')} (${seconds} s)\n${output}`)
      resolve(code ?? 1)
    })
  })
}

const getRank = (name) => (SLOWEST.includes(name) ? SLOWEST.indexOf(name) : SLOWEST.length)

async function runAll(node, names, options) {
  const folder = path.join(root, 'bench')
  const failedNames = []
  const isSmoke = options.includes('--smoke')
  const pendingNames = isSmoke ? [...names].sort((a, b) => getRank(a) - getRank(b)) : [...names]
  const runPending = async () => {
    for (let name = pendingNames.shift(); name !== undefined; name = pendingNames.shift()) {
      const file = path.join(folder, `${name}.ts`)
      if (!isSmoke) console.log(`\n# ${name}`)
      const code = await (isSmoke ? runSmoke(node, file, options) : runProgram(node, file, options))
      if (code !== 0) failedNames.push(name)
    }
  }
  await Promise.all(Array.from({ length: isSmoke ? os.availableParallelism() : 1 }, runPending))
  return failedNames
}

runCommand(async () => {
  const folder = path.join(root, 'bench')
  const files = fs.existsSync(folder) ? fs.readdirSync(folder) : []
  const available = files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => file.slice(0, -3))
  const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'))
  const requestedNames = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
  const unknownNames = requestedNames.filter((name) => !available.includes(name))
  if (unknownNames.length > 0) {
    console.error(`Unknown benchmark "${unknownNames.join('", "')}". Available: ${available.join(', ') || 'none'}.`)
    process.exitCode = 1
    return
  }
  const node = await prepare('development', ['dashboard', 'server'])
  const failedNames = await runAll(node, requestedNames.length > 0 ? requestedNames : available.sort(), options)
  if (failedNames.length > 0) console.error(`\nFailed: ${failedNames.join(', ')}`)
  process.exitCode = failedNames.length > 0 ? 1 : 0
})
