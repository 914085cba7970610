'use strict'

/** `npm run restore`: puts a backup into an empty installation. */

const path = require('node:path')
const { becomeProgram, prepare, root, runCommand } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('production')
  const program = path.join(root, 'packages', 'server', 'src', 'commands', 'restore.ts')
  await becomeProgram(node, program, process.argv.slice(2))
})
