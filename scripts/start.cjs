'use strict'

/** `npm start`: installs and builds once, then runs the server. Relative paths in settings count from the project's folder. */

const { enableCompileCache } = require('node:module')
const path = require('node:path')

// The server runs in this process where it can: with the cache on from the first line even stripping types is skipped.
enableCompileCache?.()

const { becomeProgram, prepare, root, runCommand } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('production', { withDashboard: true })
  await becomeProgram(node, path.join(root, 'packages', 'server', 'src', 'main.ts'), process.argv.slice(2))
})
