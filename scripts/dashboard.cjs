'use strict'

/** `npm run dashboard`: serves the dashboard from its sources on port 4200, for a server on port 4100. Used for development. */

const path = require('node:path')
const { replaceProgram, prepare, root, runCommand } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('development')
  const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  await replaceProgram(node, vite, ['packages/dashboard', '--host', '127.0.0.1', ...process.argv.slice(2)])
})
