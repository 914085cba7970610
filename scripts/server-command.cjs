'use strict'

/** `npm run backup`, `restore` and `db:copy`: run a command of the server with its arguments. */

const path = require('node:path')
const { replaceProgram, prepare, root, runCommand } = require('./bootstrap.cjs')

const [name, ...commandArguments] = process.argv.slice(2)

runCommand(async () => {
  const node = await prepare('production')
  await replaceProgram(node, path.join(root, 'packages', 'server', 'src', 'commands', `${name}.ts`), commandArguments)
})
