'use strict'

/** `npm run mutations`: plants faults one at a time and reports whether the tests catch them (see CONTRIBUTING.md). */

const path = require('node:path')
const { replaceProgram, prepare, root, runCommand } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('development', ['dashboard'])
  await replaceProgram(node, path.join(root, 'testing', 'mutations', 'run.ts'), process.argv.slice(2))
})
