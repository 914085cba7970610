'use strict'

/** `npm start`: installs and builds once, then runs the server. Relative paths in settings count from the project's folder. */

const { enableCompileCache } = require('node:module')

// The server runs in this process where it can: with the cache on from the first line even stripping types is skipped.
enableCompileCache?.()

const { becomeProgram, prepare, runCommand, serverFile } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('production', ['dashboard', 'server'])
  await becomeProgram(node, serverFile(), process.argv.slice(2))
})
