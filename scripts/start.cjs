'use strict'

/** `npm start`: installs once, then runs the server. Relative paths in settings count from the project's folder. */

const path = require('node:path')
const { becomeProgram, prepare, root, runCommand } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('production')
  await becomeProgram(node, path.join(root, 'packages', 'server', 'src', 'main.ts'), process.argv.slice(2))
})
