import { type ProcessSettings, type RunningProcess, startProcess } from './child-process.ts'

export interface LocalServer extends RunningProcess {
  readonly url: string
}

/** Starts one of the bench's own servers: a program that prints `{"url": …}` as its first line once it listens. */
export async function startLocalServer(file: string, settings: ProcessSettings = {}): Promise<LocalServer> {
  const running = startProcess(file, settings)
  const line = await Promise.race([running.firstLine, running.failure])
  const { url } = JSON.parse(line) as { url: string }
  return { ...running, url }
}
