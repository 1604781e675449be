/* sanitizer: whether this build watches its own memory, which takes terabytes of address space. */
#ifndef QUERENT_SANITIZER_H
#define QUERENT_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZE_ADDRESS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZE_ADDRESS 1
#endif
#endif
#ifndef SANITIZE_ADDRESS
#define SANITIZE_ADDRESS 0
#endif

#if defined(__SANITIZE_THREAD__)
#define SANITIZE_THREAD 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SANITIZE_THREAD 1
#endif
#endif
#ifndef SANITIZE_THREAD
#define SANITIZE_THREAD 0
#endif

#endif
