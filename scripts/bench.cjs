'use strict'

/**
 * `npm run bench`: runs the programs in `bench/` one after another, or those named. `--smoke` asks each for a short run
 * that proves that it works; other options are handed on as well.
 */

const fs = require('node:fs')
const path = require('node:path')
const { prepare, root, runCommand, runProgram } = require('./bootstrap.cjs')

runCommand(async () => {
  const folder = path.join(root, 'bench')
  const files = fs.existsSync(folder) ? fs.readdirSync(folder) : []
  const available = files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => file.slice(0, -3))
  const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'))
  const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
  const unknown = named.filter((name) => !available.includes(name))
  if (unknown.length > 0) {
    console.error(`There is no benchmark "${unknown.join('", "')}". There are: ${available.join(', ') || 'none'}.`)
    process.exitCode = 1
    return
  }
  const node = await prepare('development', ['dashboard'])
  const failed = []
  for (const name of named.length > 0 ? named : available.sort()) {
    console.log(`\n# ${name}`)
    const code = await runProgram(node, path.join(folder, `${name}.ts`), options)
    if (code !== 0) failed.push(name)
  }
  if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}`)
  process.exitCode = failed.length > 0 ? 1 : 0
})
