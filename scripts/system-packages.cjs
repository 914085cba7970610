'use strict'

/** What the slow tier needs of the system, and its installation where that is wanted. */

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const { findChromium, findPostgres, findRedis } = require('./service-programs.cjs')

const REQUIRED_PROGRAMS = [
  { program: 'PostgreSQL 15 or newer', debianPackage: 'postgresql', find: findPostgres },
  { program: 'Redis 6 or newer', debianPackage: 'redis-server', find: findRedis },
  { program: 'Chromium 120 or newer', debianPackage: 'chromium', find: findChromium },
]

const INSTALL_TIMEOUT_MS = 10 * 60_000
const MAX_OUTPUT_CHARACTERS = 20_000
const ERROR_TAIL_LINES = 10

/** Where system packages can be installed nothing may be skipped. */
function requiresAllPrograms() {
  return process.env.CI === 'true' && fs.existsSync('/etc/debian_version') && process.getuid?.() === 0
}

/** Programs that this machine lacks, with the packages that have them on Debian. */
function findMissing() {
  return REQUIRED_PROGRAMS.filter(({ find }) => find() === null).map(({ program, debianPackage }) => ({
    program,
    debianPackage,
  }))
}

/**
 * Installs what is missing, where that is wanted, and resolves to what is missing still. Says what it does. `policyFile` is
 * what packages ask before they start what they bring.
 */
async function installMissing({ shouldInstall = requiresAllPrograms(), policyFile = '/usr/sbin/policy-rc.d' } = {}) {
  const missing = findMissing()
  if (missing.length === 0 || !shouldInstall) return missing
  const packages = missing.map(({ debianPackage }) => debianPackage)
  process.stderr.write(`Installing ${packages.join(', ')} … `)
  const startedAtMs = Date.now()
  const allowServices = forbidServices(policyFile)
  try {
    const install = ['install', '-y', '-qq', '--no-install-recommends', ...packages]
    let result = await runApt(install)
    if (result.code !== 0) {
      // A fresh image has no lists of packages, and those of an older one name versions that are gone.
      const updated = await runApt(['update', '-qq'])
      result = updated.code === 0 ? await runApt(install) : updated
    }
    const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1)
    process.stderr.write(result.code === 0 ? `done in ${seconds} s\n` : `failed after ${seconds} s\n${result.output}\n`)
  } finally {
    allowServices()
  }
  return findMissing()
}

/** Keeps packages from starting services, since every suite runs its own. Returns what takes that back. */
function forbidServices(policyFile) {
  try {
    fs.writeFileSync(policyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' })
  } catch {
    // There is a policy already, or none can be set; a service that runs as well does no harm.
    return () => undefined
  }
  return () => fs.rmSync(policyFile, { force: true })
}

/** Runs apt-get without questions and resolves to its exit code and the last lines of its output. */
function runApt(aptArguments) {
  return new Promise((resolve) => {
    const child = spawn('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...aptArguments], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const timer = setTimeout(() => child.kill(), INSTALL_TIMEOUT_MS)
    const settle = (code, lines) => {
      clearTimeout(timer)
      resolve({ code, output: lines.filter(Boolean).slice(-ERROR_TAIL_LINES).join('\n') })
    }
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-MAX_OUTPUT_CHARACTERS)
      })
    }
    child.on('error', (error) => settle(1, [error.message]))
    child.on('close', (code, signal) => {
      settle(code ?? 1, [...output.split('\n'), ...(signal ? [`ended by ${signal}`] : [])])
    })
  })
}

module.exports = { installMissing, requiresAllPrograms }
