import { openRedis, type RedisOptions, toRedisError } from '../redis/redis-client.ts'
import type { NodeBus } from './in-process-bus.ts'
import { createLinkedBus, type Link, type LinkEvents } from './linked-bus.ts'

export interface RedisBusOptions extends Pick<RedisOptions, 'url' | 'clock' | 'logError'> {
  /** Shared by all nodes of an installation and unique among installations on the same Redis server. */
  readonly installationId: string
  /** Unique per process. */
  readonly nodeId: string
}

/** Delay between two attempts to subscribe on a working connection. */
const RESUBSCRIBE_DELAY_MS = 2_000

/**
 * Creates a bus over a Redis channel. All topics share one channel, so subscribing needs no round trip and a publisher's
 * messages keep their order across topics.
 */
export function createRedisBus({ installationId, ...options }: RedisBusOptions): NodeBus {
  const channel = `parley:${installationId}:bus`
  return createLinkedBus({ ...options, openLink: (events) => openRedisLink(channel, options, events) })
}

function openRedisLink(channel: string, options: Omit<RedisBusOptions, 'installationId'>, events: LinkEvents): Link {
  let isSubscribed = false
  let isConnected = false
  let cancelResubscribe = (): void => {}

  function reportStatus(): void {
    const isReady = isSubscribed && publisher.getFault() === null
    if (isReady === isConnected) return
    isConnected = isReady
    if (isReady) events.onConnect()
    else events.onDisconnect()
  }

  function subscribe(): void {
    subscriber.client.subscribe(channel).then(
      () => {
        isSubscribed = subscriber.getFault() === null
        reportStatus()
      },
      (error) => {
        if (subscriber.getFault() !== null) return
        options.logError('redis bus-subscriber', toRedisError(error))
        cancelResubscribe = options.clock.after(RESUBSCRIBE_DELAY_MS, subscribe)
      },
    )
  }

  const publisher = openRedis({ ...options, name: 'bus-publisher', onReady: reportStatus, onLost: reportStatus })
  const subscriber = openRedis({
    ...options,
    name: 'bus-subscriber',
    onReady: () => subscribe(),
    onLost() {
      cancelResubscribe()
      isSubscribed = false
      reportStatus()
    },
  })
  subscriber.client.on('message', (_channel: string, text: string) => events.onMessage(text))

  return {
    async send(texts) {
      const pipeline = publisher.client.pipeline()
      for (const text of texts) pipeline.publish(channel, text)
      const results = (await pipeline.exec()) ?? []
      for (const [error] of results) if (error !== null) throw toRedisError(error)
    },
    getFault: () =>
      subscriber.getFault() ?? publisher.getFault() ?? (isSubscribed ? null : "Redis rejects Parley's subscription."),
    async close() {
      cancelResubscribe()
      publisher.close()
      subscriber.close()
    },
  }
}
