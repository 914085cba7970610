import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { signInGate } from '../lib/api/sign-in-gate.ts'
import { useStore } from '../lib/store.ts'

const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }))

/** Every page, with a sign-in dialog over it when the session has expired. */
export function Root() {
  const isSignedOut = useStore(signInGate)
  return (
    <>
      <Outlet />
      <Suspense>{isSignedOut && <SignInAgain />}</Suspense>
    </>
  )
}
