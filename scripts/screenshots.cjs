'use strict'

/**
 * `npm run screenshots`: takes the dashboard pictures in docs/images/dashboard with their own data. To take only some pictures,
 * pass the names of screens.
 */

const path = require('node:path')
const { prepare, root, runCommand, runProgram } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('development', ['dashboard'])
  const program = path.join(root, 'testing', 'screenshots', 'main.ts')
  process.exitCode = await runProgram(node, program, process.argv.slice(2))
})
