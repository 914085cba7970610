'use strict'

/** `npm run dashboard`: the dashboard on port 4200 as its sources are, for a server on port 4100. For working on it. */

const path = require('node:path')
const { becomeProgram, prepare, root, runCommand } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('development')
  const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  await becomeProgram(node, vite, ['packages/dashboard', '--host', '127.0.0.1', ...process.argv.slice(2)])
})
