'use strict'

/** Finds the service programs that tests and benchmarks start. Plain CommonJS, since scripts also use this module. */

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const MIN_POSTGRES_MAJOR = 15
const MIN_REDIS_MAJOR = 6
/** First major version with everything that browser tests require. */
const MIN_CHROMIUM_MAJOR = 120

/** First major version that WebDriver BiDi can control in all browser tests. */
const MIN_FIREFOX_MAJOR = 140

const CHROMIUM_NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const FIREFOX_NAMES = ['firefox-esr', 'firefox']

const VERSION_TIMEOUT_MS = 10_000

/** Folders outside PATH in which systems install several versions of PostgreSQL. */
const VERSIONED_FOLDERS = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin', '/opt/homebrew/opt/postgresql@*/bin']

/** Returns the first PostgreSQL in PATH, or the newest outside PATH, with its version, or null if none is new enough. */
function findPostgres() {
  const folders = [...listPathFolders(), ...VERSIONED_FOLDERS.flatMap(listNewestFirst)]
  for (const folder of folders.filter((name) => hasProgram(name, 'postgres') && hasProgram(name, 'initdb'))) {
    const version = readVersion(path.join(folder, 'postgres'), /PostgreSQL\) (\d[\w.]*)/)
    if (version !== null && Number.parseInt(version, 10) >= MIN_POSTGRES_MAJOR) return { folder, version }
  }
  return null
}

/** Returns the first redis-server in PATH with its version, or null if none is new enough. */
function findRedis() {
  for (const folder of listPathFolders().filter((name) => hasProgram(name, 'redis-server'))) {
    const file = path.join(folder, 'redis-server')
    const version = readVersion(file, / v=(\d[\w.]*)/)
    if (version !== null && Number.parseInt(version, 10) >= MIN_REDIS_MAJOR) return { file, version }
  }
  return null
}

/** Returns the first Chromium or Chrome in PATH with its version, or null if none is new enough. */
function findChromium() {
  return findBrowser(CHROMIUM_NAMES, /Chrom(?:e|ium) (\d[\d.]*)/, MIN_CHROMIUM_MAJOR)
}

/** Returns the first Firefox in PATH with its version, or null if none is new enough. */
function findFirefox() {
  return findBrowser(FIREFOX_NAMES, /Firefox (\d[\d.]*)/, MIN_FIREFOX_MAJOR)
}

/** Returns the first PulseAudio in PATH with its version, or null if there is none. Firefox plays nothing without a device. */
function findPulseAudio() {
  const file = findProgram('pulseaudio')
  const version = file === null ? null : readVersion(file, /pulseaudio (\d[\d.]*)/)
  return version === null ? null : { file, version }
}

function findBrowser(names, versionPattern, minMajor) {
  for (const folder of listPathFolders()) {
    for (const name of names.filter((program) => hasProgram(folder, program))) {
      const file = path.join(folder, name)
      const version = readVersion(file, versionPattern)
      if (version !== null && Number.parseInt(version, 10) >= minMajor) return { file, version }
    }
  }
  return null
}

function listPathFolders() {
  return (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder))
}

/** Returns the folders that match a pattern with one `*`, highest number first. */
function listNewestFirst(pattern) {
  const [before = '', after = ''] = pattern.split('*')
  const parent = path.dirname(`${before}x`)
  const prefix = before.slice(parent.length + 1)
  const entries = fs.existsSync(parent) ? fs.readdirSync(parent) : []
  return entries
    .filter((entry) => entry.startsWith(prefix))
    .map((entry) => ({
      version: Number.parseFloat(entry.slice(prefix.length)),
      folder: path.join(parent, entry) + after,
    }))
    .filter(({ version }) => !Number.isNaN(version))
    .sort((a, b) => b.version - a.version)
    .map(({ folder }) => folder)
}

/** Returns the path of a program in PATH, or null if there is none. */
function findProgram(name) {
  const folder = listPathFolders().find((pathFolder) => hasProgram(pathFolder, name))
  return folder === undefined ? null : path.join(folder, name)
}

function hasProgram(folder, name) {
  try {
    fs.accessSync(path.join(folder, name), fs.constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns the first group of `pattern` in a program's `--version` output, or null if there is no match. */
function readVersion(file, pattern) {
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: VERSION_TIMEOUT_MS })
  return pattern.exec(stdout ?? '')?.[1] ?? null
}

module.exports = {
  MIN_CHROMIUM_MAJOR,
  MIN_FIREFOX_MAJOR,
  MIN_POSTGRES_MAJOR,
  MIN_REDIS_MAJOR,
  findChromium,
  findFirefox,
  findPostgres,
  findProgram,
  findPulseAudio,
  findRedis,
}
