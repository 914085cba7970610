import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'
import { readChatFilter } from './chat-filter.ts'

const chatsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'chats',
  validateSearch: readChatFilter,
  component: lazyRouteComponent(() => import('./chats-screen.tsx'), 'ChatsScreen'),
})

const chatRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'chats/$chatId',
  component: lazyRouteComponent(() => import('./chat-screen.tsx'), 'ChatScreen'),
})

export const chatRoutes = [chatsRoute, chatRoute] as const
