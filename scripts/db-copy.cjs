'use strict'

/** `npm run db:copy`: moves an installation into another database. */

const path = require('node:path')
const { becomeProgram, prepare, root, runCommand } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('production')
  const program = path.join(root, 'packages', 'server', 'src', 'commands', 'db-copy.ts')
  await becomeProgram(node, program, process.argv.slice(2))
})
