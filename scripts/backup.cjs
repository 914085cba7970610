'use strict'

/** `npm run backup`: writes all data of an installation into one file. */

const path = require('node:path')
const { becomeProgram, prepare, root, runCommand } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('production')
  const program = path.join(root, 'packages', 'server', 'src', 'commands', 'backup.ts')
  await becomeProgram(node, program, process.argv.slice(2))
})
