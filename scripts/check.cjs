'use strict'

/**
 * `npm run check`: format, lint, types, unused code, word list and the OpenAPI document. All checks run in parallel, and none
 * of them is a test.
 */

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { createEnvironment, prepare, root, runCommand } = require('./bootstrap.cjs')

/** Seconds after which a check is ended. */
const DEADLINE_S = 300

const KNIP = 'node_modules/knip/bin/knip.js'
/** Finds code that only tests use; the configuration lists the exceptions. */
const PRODUCT_CODE = ['--config', 'knip.product.jsonc', '--include', 'files,exports,types']

/**
 * Runs a program and resolves to its exit code and its complete output. With `outputFile`, standard output goes to that file
 * instead.
 */
function capture(node, file, programArguments, outputFile) {
  return new Promise((resolve) => {
    const sink = outputFile ? fs.openSync(outputFile, 'w') : 'pipe'
    const child = spawn(node, [path.join(root, file), ...programArguments], {
      cwd: root,
      env: createEnvironment(node, { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }),
      stdio: ['ignore', sink, 'pipe'],
      timeout: DEADLINE_S * 1000,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output += chunk
      })
    }
    child.on('close', (code, signal) => {
      if (typeof sink === 'number') fs.closeSync(sink)
      resolve({ code: code ?? 1, output: signal ? `${output}ended by ${signal}\n` : output })
    })
  })
}

function checkTypes(node, project) {
  // Each checker repeats type inference of the others, so the default number slows down machines with few cores.
  const checkers = Math.max(1, Math.floor(os.availableParallelism() / 2))
  return capture(node, 'node_modules/typescript/bin/tsc', ['--noEmit', '-p', project, '--checkers', String(checkers)])
}

async function checkOpenApi(node, folder) {
  const document = path.join(folder, 'openapi.json')
  const printResult = await capture(node, 'scripts/print-openapi.ts', [], document)
  if (printResult.code !== 0) return printResult
  return capture(node, 'node_modules/@redocly/cli/bin/cli.js', ['lint', document, '--extends=recommended'])
}

runCommand(async () => {
  const node = await prepare('development')
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-check-'))
  const checks = {
    'format and lint': () =>
      capture(node, 'node_modules/@biomejs/biome/bin/biome', ['ci', '--colors=off', '--error-on-warnings', '.']),
    types: () => checkTypes(node, '.'),
    'types of the browser client': () => checkTypes(node, 'packages/sdk'),
    'types of the dashboard': () => checkTypes(node, 'packages/dashboard'),
    'unused code': () => capture(node, KNIP, ['--no-progress']),
    'code for tests only': () => capture(node, KNIP, ['--no-progress', '--production', ...PRODUCT_CODE]),
    openapi: () => checkOpenApi(node, folder),
    language: () => capture(node, 'scripts/check-language.ts', []),
  }
  try {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, run]) => {
        const startedAtMs = Date.now()
        const { code, output } = await run()
        return { name, code, output, seconds: ((Date.now() - startedAtMs) / 1000).toFixed(1) }
      }),
    )
    for (const { name, code, output } of results) if (code !== 0) console.log(`\n--- ${name} ---\n${output.trim()}`)
    for (const { name, code, seconds } of results)
      console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name}  ${seconds} s`)
    process.exitCode = results.every(({ code }) => code === 0) ? 0 : 1
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
})
