'use strict'

/** `npm run build`: everything that a start does before the server runs, for images and installations that become read-only. */

const { prepare, runCommand } = require('./bootstrap.cjs')

runCommand(async () => {
  await prepare('production', ['dashboard', 'server'])
})
