'use strict'

/**
 * `npm start`: installs and builds if required, then runs the server. Relative paths in settings are resolved from the project
 * folder.
 */

const { enableCompileCache } = require('node:module')

// The server runs in the current process if possible. With the compile cache enabled from the first line, even type stripping
// is skipped.
enableCompileCache?.()

const { replaceProgram, prepare, runCommand, findServerFile } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('production', ['dashboard', 'server'])
  await replaceProgram(node, findServerFile(), process.argv.slice(2))
})
