'use strict'

/** `npm run screenshots`: the pictures of the dashboard in docs/images/dashboard, on data of its own. Names of screens picture these alone. */

const path = require('node:path')
const { prepare, root, runCommand, runProgram } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('development', ['dashboard'])
  const program = path.join(root, 'testing', 'screenshots', 'main.ts')
  process.exitCode = await runProgram(node, program, process.argv.slice(2))
})
