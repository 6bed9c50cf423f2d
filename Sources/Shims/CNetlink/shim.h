// nl80211 over libnl-genl-3. Compiles with libnl 3.7 and 3.11.
#pragma once
#include <linux/nl80211.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

/// Creates a request of a generic netlink family. Returns NULL if memory is exhausted.
static inline struct nl_msg *outrider_nl_request(int family, int flags, int command) {
  struct nl_msg *message = nlmsg_alloc();
  if (message && !genlmsg_put(message, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, flags, (uint8_t)command, 0)) {
    nlmsg_free(message);
    return NULL;
  }
  return message;
}

/// The command of a received message, or -1 if it is too short for one.
static inline int outrider_nl_command(struct nl_msg *message) {
  struct nlmsghdr *header = nlmsg_hdr(message);
  return genlmsg_valid_hdr(header, 0) ? genlmsg_hdr(header)->cmd : -1;
}

/// An attribute nested in another, or NULL if there is none of that type.
static inline struct nlattr *outrider_nl_nested(struct nlattr *attribute, int type) {
  return nla_find(nla_data(attribute), nla_len(attribute), type);
}

/// An attribute of a received message, or NULL if there is none of that type.
static inline struct nlattr *outrider_nl_attribute(struct nl_msg *message, int type) {
  struct genlmsghdr *header = genlmsg_hdr(nlmsg_hdr(message));
  return nla_find(genlmsg_attrdata(header, 0), genlmsg_attrlen(header, 0), type);
}
